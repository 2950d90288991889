// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * All that a policy may know of a store at one instant: levels of runs of segments of slices, and
 * the merges under way. A value without keys, files or time.
 *
 * <p>Under {@link MergeRule#ADJACENT} the order of levels, and within a level of runs, is the order
 * of age, newest first.
 *
 * @param rule what plans must respect
 * @param levels level 0 first, never empty
 * @param jobs plans accepted and not yet finished; their inputs are claimed
 */
public record Shape(MergeRule rule, List<LevelFacts> levels, List<Job> jobs) {

  /**
   * A plan under way.
   *
   * @param level the level that receives its outputs
   * @param run the run that receives its outputs
   * @param low the smallest rank an output can have, inclusive
   * @param high the largest rank an output can have, inclusive
   */
  public record Job(int level, long run, int low, int high) {}

  /** Copies the lists. */
  public Shape {
    levels = List.copyOf(levels);
    jobs = List.copyOf(jobs);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("a shape has at least level 0");
    }
  }

  /** Bytes of all levels. */
  public long bytes() {
    long bytes = 0;
    for (LevelFacts level : levels) {
      bytes += level.bytes();
    }
    return bytes;
  }

  /** This shape as it would stand with no plan under way: no jobs, and every slice free. */
  public Shape unclaimed() {
    List<LevelFacts> free = new ArrayList<>();
    for (LevelFacts level : levels) {
      List<RunFacts> runs = new ArrayList<>();
      for (RunFacts run : level.runs()) {
        List<SegmentFacts> segments = new ArrayList<>();
        for (SegmentFacts segment : run.segments()) {
          segments.add(
              new SegmentFacts(segment.slices().stream().map(TableFacts::unclaimed).toList()));
        }
        runs.add(new RunFacts(run.id(), segments, run.sources()));
      }
      free.add(new LevelFacts(runs));
    }
    return new Shape(rule, free, List.of());
  }
}
