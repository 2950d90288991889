// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import io.coppice.bench.engine.Trial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a run of a suite beside peers measures.
 *
 * @param name of the suite and of its file
 * @param ycsbAlone true if YCSB is all of it
 * @param withoutYcsb true if there is none of it
 * @param only loads by name; all of the suite's if empty
 * @param rounds of the headline stores
 * @param resume whether what a broken run has found counts
 * @param cgroup directory of a control group for the row of memory; empty if there is none
 * @param progress bar, plain or auto
 */
public record PeerOptions(
    String name,
    PeerScale scale,
    boolean ycsbAlone,
    boolean withoutYcsb,
    List<String> only,
    int rounds,
    long seed,
    boolean resume,
    String cgroup,
    String progress) {

  /** The suite that is YCSB alone. */
  public static final String YCSB = "ycsb";

  private static final List<String> NAMES =
      List.of("suite", "rounds", "seed", "resume", "cgroup", "without-ycsb", "only", "progress");

  private static final int MOST_ROUNDS = 99;
  private static final long SEED = 42;

  /**
   * Reads options by name, without their dashes; what is missing has its default.
   *
   * @param suite as typed
   * @param unknown what was given besides, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static PeerOptions parse(String suite, Map<String, String> given, List<String> unknown) {
    List<String> faults = new ArrayList<>();
    boolean ycsb = suite.equals(YCSB);
    List<String> suites = new ArrayList<>(List.of("read", "adaptive", YCSB));
    suites.addAll(PeerScale.labels());
    String wanted = ycsb ? given.getOrDefault("scale", PeerScale.STANDARD.label()) : suite;
    PeerScale scale = PeerScale.find(wanted).orElse(null);
    if (scale == null) {
      List<String> known = ycsb ? PeerScale.labels() : suites;
      faults.add(
          (ycsb ? "--scale (" : "--suite (")
              + wanted
              + ") must be "
              + String.join(", ", known)
              + "; nearest is "
              + Nearest.to(wanted, known));
      throw new InvalidOptionsException(faults);
    }
    List<String> other = new ArrayList<>(unknown);
    given.keySet().stream()
        .filter(name -> !NAMES.contains(name) && !(ycsb && name.equals("scale")))
        .forEach(other::add);
    for (String argument : other) {
      String bare = argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
      faults.add(
          "--" + bare + " is no option of this suite; nearest is --" + Nearest.to(bare, NAMES));
    }
    long rounds = number("rounds", given, scale.rounds(), 1, MOST_ROUNDS, faults);
    long seed = number("seed", given, SEED, Long.MIN_VALUE, Long.MAX_VALUE, faults);
    String progress = given.getOrDefault("progress", "auto");
    if (!Set.of("auto", "bar", "plain").contains(progress)) {
      faults.add("--progress (" + progress + ") must be auto, bar or plain");
    }
    boolean without = given.containsKey("without-ycsb");
    if (ycsb && without) {
      faults.add("--without-ycsb leaves nothing of --suite=ycsb; give one of the two");
    }
    List<String> only = ycsb ? List.of() : only(given, scale, faults);
    if (ycsb && given.containsKey("only")) {
      faults.add("--only names loads of quick, standard and full; leave it away with ycsb");
    }
    if (!only.isEmpty() && without) {
      faults.add("--only and --without-ycsb both say what is left out; give one of the two");
    }
    if (!faults.isEmpty()) {
      throw new InvalidOptionsException(faults);
    }
    return new PeerOptions(
        suite,
        scale,
        ycsb,
        without || !only.isEmpty() && !only.contains(YCSB),
        only,
        (int) rounds,
        seed,
        given.containsKey("resume"),
        given.getOrDefault("cgroup", ""),
        progress);
  }

  private static List<String> only(
      Map<String, String> given, PeerScale scale, List<String> faults) {
    if (!given.containsKey("only")) {
      return List.of();
    }
    List<String> known =
        new ArrayList<>(PeerTrials.of(scale, 1, SEED).stream().map(Trial::id).toList());
    known.add(YCSB);
    List<String> named = Arrays.stream(given.get("only").split(",", -1)).distinct().toList();
    for (String id : named) {
      if (!known.contains(id)) {
        faults.add(
            "--only ("
                + id
                + ") must be of "
                + String.join(", ", known)
                + "; nearest is "
                + Nearest.to(id, known));
        continue;
      }
      PeerTrials.before(id)
          .filter(before -> !named.contains(before))
          .ifPresent(
              before ->
                  faults.add("--only (" + id + ") goes by the rate of " + before + "; name both"));
    }
    return named;
  }

  /** Names the files of the report: a part does not take the place of the whole. */
  String reportName() {
    return only.isEmpty() ? name : name + "-only";
  }

  /** Loads beside YCSB that are not measured. */
  Set<String> leftOut() {
    Set<String> left =
        PeerTrials.of(scale, 1, seed).stream().map(Trial::id).collect(Collectors.toSet());
    trials().forEach(trial -> left.remove(trial.id()));
    return left;
  }

  /** The loads to measure beside YCSB. */
  List<Trial> trials() {
    return PeerTrials.of(scale, rounds, seed).stream()
        .filter(trial -> only.isEmpty() || only.contains(trial.id()))
        .toList();
  }

  /** A whole number of an option, or its least allowed one and a fault. */
  public static long number(
      String option,
      Map<String, String> given,
      long otherwise,
      long min,
      long max,
      List<String> faults) {
    String text = given.getOrDefault(option, Long.toString(otherwise));
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      faults.add("--" + option + " (" + text + ") must be a whole number");
      return min;
    }
    faults.add("--" + option + " (" + text + ") must be in " + min + ".." + max);
    return min;
  }
}
