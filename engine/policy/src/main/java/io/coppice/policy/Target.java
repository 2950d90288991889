// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Set;

/**
 * Where the outputs of a plan go. A host that takes up a plan with a new run shows that run, with
 * its sources, in the next Shape already, though it is still empty: later plans join it there.
 *
 * @param level the level, 0 first; one deeper than the deepest of the Shape is allowed
 * @param run the run of that level which the outputs join, or {@link #NEW_RUN}
 * @param sources for a new run: the ids of the runs that will feed it, so that later plans join it
 *     until they are empty; empty when this one plan makes the whole run. Empty for a join
 */
public record Target(int level, long run, Set<Long> sources) {

  /** Stands for a run that does not exist yet: it becomes the newest of its level. */
  public static final long NEW_RUN = -1;

  /** Copies the set. */
  public Target {
    sources = Set.copyOf(sources);
    if (level < 0 || run < NEW_RUN || (run != NEW_RUN && !sources.isEmpty())) {
      throw new IllegalArgumentException(
          "level ("
              + level
              + ") and run ("
              + run
              + ") must not be negative, and only a new run has"
              + " sources ("
              + sources
              + ")");
    }
  }

  /** The newest place of a level, filled by this plan alone. */
  public static Target newest(int level) {
    return new Target(level, NEW_RUN, Set.of());
  }

  /** The newest place of a level, to be filled from the given runs by this plan and later ones. */
  public static Target newest(int level, Set<Long> sources) {
    return new Target(level, NEW_RUN, sources);
  }

  /** A run that exists. */
  public static Target join(int level, long run) {
    return new Target(level, run, Set.of());
  }

  /** True if the plan starts a run. */
  public boolean isNew() {
    return run == NEW_RUN;
  }
}
