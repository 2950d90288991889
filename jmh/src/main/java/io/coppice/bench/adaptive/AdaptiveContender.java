// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A policy that runs through the phases.
 *
 * @param name what rows call it
 * @param policy its text
 * @param pilot what changes its rung, if it has one
 */
record AdaptiveContender(String name, String policy, Pilot pilot) {

  /** The party that changes the rung. */
  enum Pilot {
    /** The rung stays constant. */
    NOBODY,
    /** The analyser changes the rung. */
    ANALYSER,
    /** The load's driver at the start of each phase, to the one that is best for it. */
    ORACLE,
    /** The load's driver whenever a dwell is over, to one that is drawn. */
    CHANCE
  }

  /** The one that is judged. */
  static final String ADAPTIVE = "adaptive";

  /** The one that knows the phases. Nothing bounds what its merges read after a switch. */
  static final String ORACLE = "oracle";

  /** The one whose analyser decides nothing; what its merges read after a switch is bounded. */
  static final String RANDOM = "random";

  /** From 0 to before. */
  static final int RUNGS = 7;

  private static final String RUNG = "rung-";

  /** A day: longer than any run. */
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

  /** Returns the policy text for the fill, with the analyser disabled. */
  String filling() {
    boolean tuned = pilot == Pilot.ANALYSER || pilot == Pilot.CHANCE;
    return tuned ? policy + ",adapt=false" : policy;
  }

  /** Its text with a rung. */
  String with(int rung) {
    return policy + ",rung=" + rung;
  }

  /** Returns whether the rung changes during the run. */
  boolean turns() {
    return pilot != Pilot.NOBODY;
  }
}
