// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * All that a policy may know of a store at one instant: levels of runs of segments of slices, the
 * merges under way, and what reads asked for. A value without keys, files or time.
 *
 * <p>Under {@link MergeRule#ADJACENT} the order of levels, and within a level of runs, is the order
 * of age, newest first.
 *
 * @param rule what plans must respect
 * @param levels level 0 first, never empty
 * @param jobs plans accepted and not yet finished; their inputs are claimed
 * @param requests groups of virtual segments that reads asked to have merged, see {@link
 *     Policy#mergeOnRead}; a host forgets a request once no segment of the group is left. Under
 *     {@link MergeRule#FREE} slices instead, each standing for all that it overlaps in its level
 */
public record Shape(MergeRule rule, List<LevelFacts> levels, List<Job> jobs, Set<Long> requests) {

  /**
   * A plan under way.
   *
   * @param level the level that receives its outputs
   * @param run the run that receives its outputs
   * @param low the smallest rank an output can have, inclusive
   * @param high the largest rank an output can have, inclusive
   */
  public record Job(int level, long run, int low, int high) {}

  /** Copies the collections. */
  public Shape {
    levels = List.copyOf(levels);
    jobs = List.copyOf(jobs);
    requests = Set.copyOf(requests);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("a shape has at least level 0");
    }
  }

  /** A shape in which no read asked for anything. */
  public Shape(MergeRule rule, List<LevelFacts> levels, List<Job> jobs) {
    this(rule, levels, jobs, Set.of());
  }

  /** Bytes of all levels. */
  public long bytes() {
    long bytes = 0;
    for (LevelFacts level : levels) {
      bytes += level.bytes();
    }
    return bytes;
  }

  /** Runs that hold something. */
  public int filledRuns() {
    int filled = 0;
    for (LevelFacts level : levels) {
      for (RunFacts run : level.runs()) {
        filled += run.segments().isEmpty() ? 0 : 1;
      }
    }
    return filled;
  }

  /** This shape as it would stand with no plan under way: no jobs, and every slice free. */
  public Shape unclaimed() {
    List<LevelFacts> free = new ArrayList<>();
    for (LevelFacts level : levels) {
      List<RunFacts> runs = new ArrayList<>();
      for (RunFacts run : level.runs()) {
        runs.add(run.unclaimed());
      }
      free.add(new LevelFacts(runs));
    }
    return new Shape(rule, free, List.of(), requests);
  }
}
