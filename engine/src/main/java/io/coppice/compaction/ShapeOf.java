// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.TableFacts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * A Version as a policy sees it. Keys become ranks: all bounds are sorted, the key at index i has
 * rank 2i, and a window that opens after it starts at rank 2i + 1. One use, one thread.
 */
final class ShapeOf {

  private final byte[][] bounds;

  private ShapeOf(byte[][] bounds) {
    this.bounds = bounds;
  }

  /**
   * Describes a version.
   *
   * @param visible the runs to show; the others do not exist for the policy
   * @param claims tables in use by plans under way
   */
  static Shape of(Version version, Predicate<Run> visible, Claims claims) {
    List<byte[]> keys = new ArrayList<>();
    for (Slice slice : version.slices()) {
      keys.add(slice.low());
      keys.add(slice.high());
    }
    for (Claims.Job job : claims.jobs()) {
      keys.add(job.low());
      keys.add(job.high());
    }
    return new ShapeOf(distinct(keys)).build(version, visible, claims);
  }

  private static byte[][] distinct(List<byte[]> keys) {
    byte[][] sorted = keys.toArray(new byte[0][]);
    Arrays.sort(sorted, Arrays::compareUnsigned);
    int count = 0;
    for (byte[] key : sorted) {
      if (count == 0 || !Arrays.equals(sorted[count - 1], key)) {
        sorted[count++] = key;
      }
    }
    return Arrays.copyOf(sorted, count);
  }

  private Shape build(Version version, Predicate<Run> visible, Claims claims) {
    List<LevelFacts> levels = new ArrayList<>();
    for (Level level : version.levels()) {
      List<RunFacts> runs = new ArrayList<>();
      for (Run run : level.runs()) {
        if (visible.test(run)) {
          runs.add(run(run, claims));
        }
      }
      levels.add(new LevelFacts(runs));
    }
    List<Shape.Job> jobs = new ArrayList<>();
    for (Claims.Job job : claims.jobs()) {
      jobs.add(new Shape.Job(job.level(), job.run(), rank(job.low()), rank(job.high())));
    }
    return new Shape(MergeRule.ADJACENT, levels, jobs);
  }

  private RunFacts run(Run run, Claims claims) {
    List<SegmentFacts> segments = new ArrayList<>(run.segments().size());
    for (Segment segment : run.segments()) {
      List<TableFacts> slices = new ArrayList<>(segment.slices().size());
      for (Slice slice : segment.slices()) {
        slices.add(
            new TableFacts(
                slice.id(),
                slice.table().number(),
                rank(slice.low()) + (slice.lowExclusive() ? 1 : 0),
                rank(slice.high()),
                slice.table().bytes(),
                slice.table().entries(),
                slice.table().tombstones(),
                slice.table().bytes(),
                claims.holds(slice.table().number())));
      }
      segments.add(new SegmentFacts(slices, 0, 0));
    }
    return new RunFacts(run.id(), segments, run.sources());
  }

  private int rank(byte[] key) {
    int index = Arrays.binarySearch(bounds, key, Arrays::compareUnsigned);
    assert index >= 0 : "every bound was collected";
    return 2 * index;
  }
}
