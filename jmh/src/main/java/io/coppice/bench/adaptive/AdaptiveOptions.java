// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import io.coppice.bench.peers.PeerOptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run of the suite measures.
 *
 * @param contenders in the order of the first round; the one that is judged is among them
 * @param seed decides keys, values and draws
 * @param resume whether what a broken run has found counts
 * @param progress bar, plain or auto
 */
public record AdaptiveOptions(
    AdaptiveScale scale,
    List<Contender> contenders,
    int rounds,
    long seed,
    boolean resume,
    String progress) {

  private static final List<String> NAMES =
      List.of("suite", "scale", "only", "rounds", "seed", "resume", "progress");
  private static final List<String> PROGRESS = List.of("auto", "bar", "plain");
  private static final int ROUNDS = 1;
  private static final int MOST_ROUNDS = 99;
  private static final long SEED = 42;

  /**
   * Reads options by name, without their dashes; what is missing has its default.
   *
   * @param unknown what was given besides, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static AdaptiveOptions parse(Map<String, String> given, List<String> unknown) {
    List<String> faults = new ArrayList<>();
    List<String> other = new ArrayList<>(unknown);
    given.keySet().stream().filter(name -> !NAMES.contains(name)).forEach(other::add);
    for (String argument : other) {
      String bare = argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
      faults.add(
          "--" + bare + " is no option of this suite; nearest is --" + Nearest.to(bare, NAMES));
    }
    String label = given.getOrDefault("scale", AdaptiveScale.SMALL.label());
    AdaptiveScale scale = AdaptiveScale.find(label).orElse(null);
    if (scale == null) {
      faults.add(mustBe("scale", label, AdaptiveScale.labels()));
      scale = AdaptiveScale.SMALL;
    }
    List<Contender> contenders = contenders(given, scale, faults);
    long rounds = PeerOptions.number("rounds", given, ROUNDS, 1, MOST_ROUNDS, faults);
    long seed = PeerOptions.number("seed", given, SEED, Long.MIN_VALUE, Long.MAX_VALUE, faults);
    String progress = given.getOrDefault("progress", PROGRESS.get(0));
    if (!PROGRESS.contains(progress)) {
      faults.add("--progress (" + progress + ") must be " + String.join(" or ", PROGRESS));
    }
    if (!faults.isEmpty()) {
      throw new InvalidOptionsException(faults);
    }
    return new AdaptiveOptions(
        scale, contenders, (int) rounds, seed, given.containsKey("resume"), progress);
  }

  private static String mustBe(String option, String given, List<String> known) {
    return "--%s (%s) must be %s; nearest is %s"
        .formatted(option, given, String.join(", ", known), Nearest.to(given, known));
  }

  /** Those that are named, and the one that is judged first; all if none is named. */
  private static List<Contender> contenders(
      Map<String, String> given, AdaptiveScale scale, List<String> faults) {
    if (!given.containsKey("only")) {
      return Contender.all(scale);
    }
    List<String> known = Contender.known(scale).stream().map(Contender::name).toList();
    Set<String> named = new LinkedHashSet<>(List.of(Contender.ADAPTIVE));
    for (String name : given.get("only").split(",", -1)) {
      if (known.contains(name)) {
        named.add(name);
      } else {
        faults.add(mustBe("only", name, known));
      }
    }
    return named.stream().map(name -> Contender.named(scale, name)).toList();
  }
}
