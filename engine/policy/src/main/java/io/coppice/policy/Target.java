// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Set;

/**
 * Target of a plan's outputs. A host that starts a plan with a new run shows that run, with its
 * sources, in the next shape, even while it is empty. Later plans join it there.
 *
 * @param level the level, 0 first; one deeper than the deepest of the shape is allowed
 * @param run the run of that level which the outputs join, or {@link #NEW_RUN}
 * @param sources for a new run: the ids of the runs that will feed it, so that later plans join it
 *     until they are empty. Empty if this one plan makes the whole run, and for a join
 */
public record Target(int level, long run, Set<Long> sources) {

  /** Value of {@code run} that starts a run, which becomes the newest of its level. */
  public static final long NEW_RUN = -1;

  /**
   * Copies the set and checks the values.
   *
   * @throws IllegalArgumentException if a value is negative, or a join has sources
   */
  public Target {
    sources = Set.copyOf(sources);
    if (level < 0 || run < NEW_RUN || (run != NEW_RUN && !sources.isEmpty())) {
      throw new IllegalArgumentException(
          "level (%s) and run (%s) must not be negative, and only a new run has sources (%s)"
              .formatted(level, run, sources));
    }
  }

  /**
   * Returns a target that starts the newest run of a level, filled by this plan alone.
   *
   * @throws IllegalArgumentException if {@code level} is negative
   */
  public static Target newest(int level) {
    return new Target(level, NEW_RUN, Set.of());
  }

  /**
   * Returns a target that starts the newest run of a level, filled from the given runs by this plan
   * and later ones.
   *
   * @throws IllegalArgumentException if {@code level} is negative
   */
  public static Target newest(int level, Set<Long> sources) {
    return new Target(level, NEW_RUN, sources);
  }

  /**
   * Returns a target that adds to an existing run.
   *
   * @throws IllegalArgumentException if a value is negative, except {@link #NEW_RUN}
   */
  public static Target join(int level, long run) {
    return new Target(level, run, Set.of());
  }

  /** Returns whether the plan starts a run. */
  public boolean isNew() {
    return run == NEW_RUN;
  }
}
