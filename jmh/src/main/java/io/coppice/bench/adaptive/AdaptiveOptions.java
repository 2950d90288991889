// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import io.coppice.bench.peers.PeerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a run of the suite measures.
 *
 * @param seed decides keys, values and draws
 * @param progress bar, plain or auto
 */
public record AdaptiveOptions(AdaptiveScale scale, int rounds, long seed, String progress) {

  private static final List<String> NAMES = List.of("suite", "scale", "rounds", "seed", "progress");
  private static final List<String> PROGRESS = List.of("auto", "bar", "plain");
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
      List<String> known = AdaptiveScale.labels();
      faults.add(
          "--scale ("
              + label
              + ") must be "
              + String.join(", ", known)
              + "; nearest is "
              + Nearest.to(label, known));
      scale = AdaptiveScale.SMALL;
    }
    long rounds = PeerOptions.number("rounds", given, scale.rounds(), 1, MOST_ROUNDS, faults);
    long seed = PeerOptions.number("seed", given, SEED, Long.MIN_VALUE, Long.MAX_VALUE, faults);
    String progress = given.getOrDefault("progress", PROGRESS.get(0));
    if (!PROGRESS.contains(progress)) {
      faults.add("--progress (" + progress + ") must be " + String.join(" or ", PROGRESS));
    }
    if (!faults.isEmpty()) {
      throw new InvalidOptionsException(faults);
    }
    return new AdaptiveOptions(scale, (int) rounds, seed, progress);
  }
}
