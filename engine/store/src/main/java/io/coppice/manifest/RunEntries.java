// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How many entries the run will have that a flush or a merge writes, and each run beside it once
 * that is done: by this the filters of its tables are sized. A run in the making counts as it will
 * be when its sources have gone into it; a table of which slices show parts counts as a whole. Of
 * the runs that go into a merge some are counted beside it too: so many will on average have come
 * again as long as its outputs live.
 *
 * @param own of the run that is written
 * @param others of each other run
 */
public record RunEntries(long own, long[] others) {

  /** One run of so many that a merge uses up is there again on average. */
  private static final int COMES_AGAIN = 3;

  /** No run has this id. */
  private static final long NONE = -1;

  /** After a flush of so many entries into a run of its own. */
  public static RunEntries afterFlush(Version version, long entries) {
    return new RunEntries(entries, after(version, NONE, Set.of()).others);
  }

  /**
   * After a merge.
   *
   * @param target the run that it writes
   * @param inputs ids of the slices that go into it
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
