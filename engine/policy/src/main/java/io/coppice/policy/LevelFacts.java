// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * One level: a list of runs. Level 0 holds the flushes.
 *
 * @param runs newest first, may be empty
 */
public record LevelFacts(List<RunFacts> runs) {

  /** Copies the list of runs. */
  public LevelFacts {
    runs = List.copyOf(runs);
  }

  /** Returns the sum of the bytes of all runs. */
  public long bytes() {
    long bytes = 0;
    for (RunFacts run : runs) {
      bytes += run.bytes();
    }
    return bytes;
  }

  /**
   * Returns the segments that overlap the ranks {@code low} to {@code high}, both inclusive, newest
   * run first, inside a run by ascending rank.
   */
  public List<SegmentFacts> overlapping(int low, int high) {
    List<SegmentFacts> found = new ArrayList<>();
    for (RunFacts run : runs) {
      found.addAll(run.overlapping(low, high));
    }
    return found;
  }
}
