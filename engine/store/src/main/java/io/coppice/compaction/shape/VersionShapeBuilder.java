// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import io.coppice.base.bytes.Bytes;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Converter of a version to a shape. Keys become ranks; a window that opens after a key starts one
 * rank above it. Used by one thread.
 *
 * @param ranks rank of each bound of slices and plans, an even number that grows with the key
 * @param held whether a table must not be planned, by number
 * @param sizes size of a slice, never null
 * @param ended expired eighths, 1 to 8, by table; tables without any are absent
 * @param hidden older entries that a table's deletions hide, by table; those without any are absent
 */
public record VersionShapeBuilder(
    ToIntFunction<byte[]> ranks,
    LongPredicate held,
    Function<Slice, SliceSize> sizes,
    Map<Long, Integer> ended,
    Map<Long, Long> hidden) {

  /**
   * Converts a version without earlier state: the bound at index i has rank 2i.
   *
   * @param bounds result of {@link #bounds}
   * @param claims tables in use by running plans
   * @param sizes size of a slice
   * @param ended expired eighths by table
   * @param hidden older entries that a table's deletions hide
   */
  public static Shape of(
      byte[][] bounds,
      Version version,
      Claims claims,
      Function<Slice, SliceSize> sizes,
      Map<Long, Integer> ended,
      Map<Long, Long> hidden) {
    ToIntFunction<byte[]> ranks = key -> 2 * Arrays.binarySearch(bounds, key, Bytes.ORDER);
    VersionShapeBuilder made =
        new VersionShapeBuilder(ranks, held(claims, Set.of()), sizes, ended, hidden);
    return made.shape(version, run -> true, made::run, claims);
  }

  /** Returns whether a table must not be planned, by number. */
  static LongPredicate held(Claims claims, Set<Long> leftOut) {
    return table -> claims.holds(table) || leftOut.contains(table);
  }

  /** Returns all bounds of slices and plans, ascending, each key once. */
  public static byte[][] bounds(Version version, Claims claims) {
    List<byte[]> keys = new ArrayList<>();
    for (Slice slice : version.slices()) {
      keys.add(slice.low());
      keys.add(slice.high());
    }
    for (Claims.Claim job : claims.jobs()) {
      keys.add(job.low());
      keys.add(job.high());
    }
    return Bytes.distinct(keys.toArray(new byte[0][]));
  }

  /** Returns the shape of a version's visible runs, converting them one by one. */
  Shape shape(
      Version version, Predicate<Run> visible, Function<Run, RunFacts> facts, Claims claims) {
    List<LevelFacts> levels = new ArrayList<>();
    for (Level level : version.levels()) {
      List<RunFacts> runs = new ArrayList<>();
      for (Run run : level.runs()) {
        if (visible.test(run)) {
          runs.add(facts.apply(run));
        }
      }
      levels.add(new LevelFacts(runs));
    }
    List<Shape.RunningPlan> jobs = new ArrayList<>();
    for (Claims.Claim job : claims.jobs()) {
      int low = ranks.applyAsInt(job.low());
      int high = ranks.applyAsInt(job.high());
      jobs.add(new Shape.RunningPlan(job.level(), job.run(), low, high));
    }
    return new Shape(MergeRule.ADJACENT, levels, jobs);
  }

  RunFacts run(Run run) {
    return new RunFacts(
        run.id(), run.segments().stream().map(this::segment).toList(), run.sources());
  }

  SegmentFacts segment(Segment segment) {
    List<SliceFacts> slices = new ArrayList<>(segment.slices().size());
    for (Slice slice : segment.slices()) {
      slices.add(facts(slice, sizes.apply(slice)));
    }
    return new SegmentFacts(slices, segment.group(), segment.parents());
  }

  private SliceFacts facts(Slice slice, SliceSize size) {
    return new SliceFacts(
        slice.id(),
        slice.table().number(),
        ranks.applyAsInt(slice.low()) + (slice.lowExclusive() ? 1 : 0),
        ranks.applyAsInt(slice.high()),
        size.bytes(),
        size.entries(),
        size.tombstones(),
        slice.table().bytes(),
        held.test(slice.table().number()),
        ended(slice, size),
        hidden(slice, size));
  }

  private long hidden(Slice slice, SliceSize size) {
    long all = hidden.getOrDefault(slice.table().number(), 0L);
    return size.bytes() >= slice.table().bytes()
        ? all
        : (long) ((double) size.bytes() / slice.table().bytes() * all);
  }

  private long ended(Slice slice, SliceSize size) {
    int past = ended.getOrDefault(slice.table().number(), 0);
    return past == EndedShares.PARTS ? size.bytes() : size.bytes() / EndedShares.PARTS * past;
  }
}
