// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * State of a store as policies see it at one instant: levels of runs of segments of slices, the
 * running plans, and the merges requested by reads. Immutable, and without keys, files or time.
 *
 * <p>Under {@link MergeRule#ADJACENT} the order of levels, and of runs within a level, is the age
 * order, newest first.
 *
 * @param rule the rule that plans must respect
 * @param levels level 0 first, never empty
 * @param runningPlans plans accepted but unfinished; their inputs are claimed
 * @param requests ids of groups of virtual segments that reads asked to have merged, see {@link
 *     Policy#mergeOnRead}; a host removes a request once no segment of the group is left. Under
 *     {@link MergeRule#FREE} it holds slices instead, each standing for its overlap in its level
 */
public record Shape(
    MergeRule rule, List<LevelFacts> levels, List<RunningPlan> runningPlans, Set<Long> requests) {

  /**
   * A running plan with its target and key range.
   *
   * @param level the level that receives its outputs
   * @param run id of the run that receives its outputs
   * @param low the smallest rank an output can have, inclusive
   * @param high the largest rank an output can have, inclusive
   */
  public record RunningPlan(int level, long run, int low, int high) {}

  /**
   * Copies the collections and checks for level 0.
   *
   * @throws IllegalArgumentException if there is no level
   */
  public Shape {
    levels = List.copyOf(levels);
    runningPlans = List.copyOf(runningPlans);
    requests = Set.copyOf(requests);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("a shape has at least level 0");
    }
  }

  /** Creates a shape without read requests. */
  public Shape(MergeRule rule, List<LevelFacts> levels, List<RunningPlan> runningPlans) {
    this(rule, levels, runningPlans, Set.of());
  }

  /** Returns this shape with other read requests, see {@link #requests}. */
  public Shape requesting(Set<Long> other) {
    return other.equals(requests) ? this : new Shape(rule, levels, runningPlans, other);
  }

  /** Returns the bytes on disk of all slices. */
  public long bytes() {
    long bytes = 0;
    for (LevelFacts level : levels) {
      bytes += level.bytes();
    }
    return bytes;
  }

  /** Returns the number of nonempty runs. */
  public int nonEmptyRunCount() {
    int filled = 0;
    for (LevelFacts level : levels) {
      for (RunFacts run : level.runs()) {
        filled += run.segments().isEmpty() ? 0 : 1;
      }
    }
    return filled;
  }

  /** Returns this shape without running plans: all slices are unclaimed, and the jobs are gone. */
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
