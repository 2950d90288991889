// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A policy under test that runs through all phases of the load.
 *
 * @param name its name in the report's rows
 * @param policy its policy text
 * @param pilot the party that changes its rung
 */
record AdaptiveContender(String name, String policy, Pilot pilot) {

  /** The party that changes a contender's rung. */
  enum Pilot {
    /** The rung stays constant. */
    NOBODY,
    /** The tuner of the store changes the rung, as in production. */
    ANALYSER,
    /** The benchmark sets the best rung for each phase at its start. */
    ORACLE,
    /** The benchmark draws a random rung after each dwell. */
    CHANCE
  }

  /** Name of the contender that the benchmark judges. */
  static final String ADAPTIVE = "adaptive";

  /**
   * Name of the contender whose rung the benchmark sets for each phase. The bytes that its merges
   * read after a switch have no bound.
   */
  static final String ORACLE = "oracle";

  /**
   * Name of the contender with random rungs, whose own tuner never switches. The bytes that its
   * merges read after a switch are bounded.
   */
  static final String RANDOM = "random";

  /** Number of rungs, which are numbered from 0. */
  static final int RUNGS = 7;

  private static final String RUNG = "rung-";

  /** Dwell of a day, which is longer than any run. */
  private static final int NEVER_SECONDS = 86_400;

  /**
   * Returns the contenders of a default run: the judged one first, then every policy at its
   * defaults. The policy {@code lazy-binomial} is the rung that adaptive begins with.
   */
  static List<AdaptiveContender> all(AdaptiveScale scale) {
    List<AdaptiveContender> all = new ArrayList<>();
    int dwell = scale.dwellSeconds();
    String window = ADAPTIVE + ",window=" + dwell;
    all.add(new AdaptiveContender(ADAPTIVE, window + ",dwell=" + dwell, Pilot.ANALYSER));
    for (String name : PolicySpec.policyNames()) {
      if (!name.equals(ADAPTIVE)) {
        all.add(new AdaptiveContender(name, name, Pilot.NOBODY));
      }
    }
    all.add(new AdaptiveContender(ORACLE, ADAPTIVE + ",adapt=false", Pilot.ORACLE));
    all.add(new AdaptiveContender(RANDOM, window + ",dwell=" + NEVER_SECONDS, Pilot.CHANCE));
    return all;
  }

  /** Returns one contender per rung, for runs that name them. */
  private static List<AdaptiveContender> rungs() {
    return IntStream.range(0, RUNGS)
        .mapToObj(
            rung ->
                new AdaptiveContender(
                    RUNG + rung, ADAPTIVE + ",adapt=false,rung=" + rung, Pilot.NOBODY))
        .toList();
  }

  /** Returns the contenders of {@link #all} and the single rungs. */
  static List<AdaptiveContender> known(AdaptiveScale scale) {
    List<AdaptiveContender> known = new ArrayList<>(all(scale));
    known.addAll(rungs());
    return known;
  }

  static AdaptiveContender named(AdaptiveScale scale, String name) {
    return known(scale).stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  /** Returns the policy text for the fill, with any tuner disabled. */
  String filling() {
    boolean tuned = pilot == Pilot.ANALYSER || pilot == Pilot.CHANCE;
    return tuned ? policy + ",adapt=false" : policy;
  }

  /** Returns the policy text with a rung, from 0 to {@link #RUNGS} exclusive. */
  String with(int rung) {
    return policy + ",rung=" + rung;
  }

  /** Returns whether the rung changes during the run. */
  boolean turns() {
    return pilot != Pilot.NOBODY;
  }
}
