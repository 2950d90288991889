// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Expected entries of the run that a flush or a merge writes, and of each other run afterwards.
 * They determine the filter sizes of the new tables. An incomplete run counts with its sources
 * merged into it; a table in several slices counts once, as a whole. One in three runs that a merge
 * consumes also counts as another run, because as many appear again on average during the lifetime
 * of its outputs.
 *
 * @param own entries of the written run
 * @param others entries of each other run, newest first; the array is shared
 */
public record RunEntries(long own, long[] others) {

  /**
   * One of this many consumed runs also counts as another run, because it is present again on
   * average.
   */
  private static final int COMES_AGAIN = 3;

  /** Value that no run has as its id. */
  private static final long NONE = -1;

  /** Returns the counts after a flush of this number of entries into a new run. */
  public static RunEntries afterFlush(Version version, long entries) {
    return new RunEntries(entries, after(version, NONE, Set.of()).others);
  }

  /**
   * Returns the counts after a merge.
   *
   * @param version version before the merge
   * @param target id of the run that the merge writes
   * @param inputs ids of the slices that it consumes
   */
  public static RunEntries afterMerge(Version version, long target, Set<Long> inputs) {
    return after(version, target, inputs);
  }

  private static RunEntries after(Version version, long target, Set<Long> inputs) {
    Run written = version.run(target);
    Set<Long> entering = written == null ? new HashSet<>() : new HashSet<>(written.sources());
    entering.add(target);
    long own = 0;
    int left = 0;
    List<Long> others = new ArrayList<>();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        Set<Long> seen = new HashSet<>();
        boolean enters = entering.contains(run.id());
        long stays = 0;
        long leaves = 0;
        for (Segment segment : run.segments()) {
          for (Slice slice : segment.slices()) {
            if (!seen.add(slice.table().number())) {
              continue;
            }
            if (enters || inputs.contains(slice.id())) {
              leaves += slice.table().entries();
            } else {
              stays += slice.table().entries();
            }
          }
        }
        own += leaves;
        if (stays > 0 || (leaves > 0 && run.id() != target && left++ % COMES_AGAIN == 0)) {
          others.add(stays + leaves);
        }
      }
    }
    long[] counts = new long[others.size()];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = others.get(i);
    }
    return new RunEntries(own, counts);
  }
}
