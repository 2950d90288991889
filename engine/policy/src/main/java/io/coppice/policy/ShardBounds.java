// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static java.util.Comparator.comparingInt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Key bounds that divide a shape into shards of about equal bytes. Nothing is stored. Each bound is
 * searched near its ideal place in the bytes, where the fewest bytes cross it. Once tables are cut
 * at a bound, merges stay inside their shard and keep that bound free of crossing bytes. The search
 * therefore finds the bound again until growth or deletion has moved its ideal place away. Complete
 * runs of level 0 do not count, because flushes cross bounds until they are cut. Coppice's own
 * addition.
 */
public final class ShardBounds {

  /** Largest distance of a bound from its ideal place, as a fraction of a shard's bytes. */
  private static final double NEAR = 0.25;

  private ShardBounds() {}

  public static void sortByLow(List<SegmentFacts> segments) {
    segments.sort(comparingInt(SegmentFacts::low));
  }

  /**
   * Returns the bytes on disk of each shard, the lowest keys first; a segment belongs to the shard
   * where it begins.
   *
   * @param ends the highest rank of each shard except the last, as from {@link #ends}
   */
  public static long[] bytes(Shape shape, int[] ends) {
    long[] bytes = new long[ends.length + 1];
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          int shard = 0;
          while (shard < ends.length && segment.low() > ends[shard]) {
            shard++;
          }
          bytes[shard] += segment.bytes();
        }
      }
    }
    return bytes;
  }

  /**
   * Returns the highest rank of each shard except the last, ascending. Bound i is the end of a
   * segment within a quarter of a shard's bytes of the place where i shards' bytes end. A bound
   * without such a segment equals the next one, or {@link Integer#MAX_VALUE} if all later ones lack
   * a segment too. The first shard with that value receives all remaining keys. Equal bounds
   * enclose an empty shard. Complete runs of level 0 are ignored.
   *
   * @param shards number of shards, at least 1
   */
  public static int[] ends(Shape shape, int shards) {
    List<SegmentFacts> byLow = new ArrayList<>();
    long bytes = 0;
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        if (level != shape.levels().get(0) || !run.complete()) {
          byLow.addAll(run.segments());
          bytes += run.bytes();
        }
      }
    }
    List<SegmentFacts> byHigh = new ArrayList<>(byLow);
    sortByLow(byLow);
    byHigh.sort(comparingInt(SegmentFacts::high));
    double share = (double) bytes / shards;
    int[] ends = new int[shards + 1];
    double[] least = new double[shards + 1];
    Arrays.fill(ends, Integer.MAX_VALUE);
    Arrays.fill(least, Double.MAX_VALUE);
    long begun = 0;
    long ended = 0;
    int next = 0;
    for (SegmentFacts segment : byHigh) {
      ended += segment.bytes();
      while (next < byLow.size() && byLow.get(next).low() <= segment.high()) {
        begun += byLow.get(next++).bytes();
      }
      double place = (begun + ended) / 2 / share;
      int end = (int) Math.round(place);
      double off = Math.abs(place - end);
      // The fewest crossing bytes win; among equals, the bound nearest to its place.
      if (off <= NEAR && begun - ended + off < least[end]) {
        least[end] = begun - ended + off;
        ends[end] = segment.high();
      }
    }
    for (int end = shards - 2; end > 0; end--) {
      ends[end] = Math.min(ends[end], ends[end + 1]);
    }
    return Arrays.copyOfRange(ends, 1, shards);
  }
}
