// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.Bytes;
import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.SliceSize;
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
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * A Version as a policy sees it. Keys become ranks: all bounds are sorted, the key at index i has
 * rank 2i, and a window that opens after it starts at rank 2i + 1. One use, one thread.
 */
final class ShapeOf {

  private final byte[][] bounds;
  private final Claims claims;
  private final LongPredicate held;
  private final Function<Slice, SliceSize> sizes;

  private ShapeOf(
      byte[][] bounds, Claims claims, LongPredicate held, Function<Slice, SliceSize> sizes) {
    this.bounds = bounds;
    this.claims = claims;
    this.held = held;
    this.sizes = sizes;
  }

  /**
   * Describes a version.
   *
   * @param visible the runs to show; the others do not exist for the policy
   * @param claims tables in use by plans under way
   * @param leftOut tables that are to be planned as little as those
   * @param requests groups that reads want merged
   * @param sizes how much of its table a slice shows
   */
  static Shape of(
      Version version,
      Predicate<Run> visible,
      Claims claims,
      Set<Long> leftOut,
      Set<Long> requests,
      Function<Slice, SliceSize> sizes) {
    return of(bounds(version, claims), version, visible, claims, leftOut, requests, sizes);
  }

  /** The same with the bounds that {@link #bounds} gave. */
  static Shape of(
      byte[][] bounds,
      Version version,
      Predicate<Run> visible,
      Claims claims,
      Set<Long> leftOut,
      Set<Long> requests,
      Function<Slice, SliceSize> sizes) {
    LongPredicate held = table -> claims.holds(table) || leftOut.contains(table);
    return new ShapeOf(bounds, claims, held, sizes).build(version, visible, requests);
  }

  /** All bounds of slices and plans, ascending: the key at index i has rank 2i. */
  static byte[][] bounds(Version version, Claims claims) {
    List<byte[]> keys = new ArrayList<>();
    for (Slice slice : version.slices()) {
      keys.add(slice.low());
      keys.add(slice.high());
    }
    for (Claims.Job job : claims.jobs()) {
      keys.add(job.low());
      keys.add(job.high());
    }
    return Bytes.distinct(keys.toArray(new byte[0][]));
  }

  private Shape build(Version version, Predicate<Run> visible, Set<Long> requests) {
    List<LevelFacts> levels = new ArrayList<>();
    for (Level level : version.levels()) {
      List<RunFacts> runs = new ArrayList<>();
      for (Run run : level.runs()) {
        if (visible.test(run)) {
          runs.add(run(run));
        }
      }
      levels.add(new LevelFacts(runs));
    }
    List<Shape.Job> jobs = new ArrayList<>();
    for (Claims.Job job : claims.jobs()) {
      jobs.add(new Shape.Job(job.level(), job.run(), rank(job.low()), rank(job.high())));
    }
    return new Shape(MergeRule.ADJACENT, levels, jobs, requests);
  }

  private RunFacts run(Run run) {
    List<SegmentFacts> segments = new ArrayList<>(run.segments().size());
    for (Segment segment : run.segments()) {
      List<TableFacts> slices = new ArrayList<>(segment.slices().size());
      for (Slice slice : segment.slices()) {
        slices.add(facts(slice, sizes.apply(slice)));
      }
      segments.add(new SegmentFacts(slices, segment.group(), segment.parents()));
    }
    return new RunFacts(run.id(), segments, run.sources());
  }

  private TableFacts facts(Slice slice, SliceSize size) {
    return new TableFacts(
        slice.id(),
        slice.table().number(),
        rank(slice.low()) + (slice.lowExclusive() ? 1 : 0),
        rank(slice.high()),
        size.bytes(),
        size.entries(),
        size.tombstones(),
        slice.table().bytes(),
        held.test(slice.table().number()));
  }

  private int rank(byte[] key) {
    int index = Arrays.binarySearch(bounds, key, Arrays::compareUnsigned);
    assert index >= 0 : "every bound was collected";
    return 2 * index;
  }
}
