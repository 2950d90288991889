// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static java.util.Comparator.comparingInt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where the keys of a Shape part into shards of about equal bytes. Nothing is kept: an end is
 * looked for near its place among the bytes, and taken where the fewest bytes reach across. What
 * was cut there once lies on one side of it for good, as merges stay inside their shard; so it is
 * found again until so much has grown or gone that it is no longer near. Flushes, which reach
 * across until they are cut, have no say. Ours.
 */
public final class Shards {

  /** How far an end may lie from its place, in shards. */
  private static final double NEAR = 0.25;

  private Shards() {}

  static void sortByLow(List<SegmentFacts> segments) {
    segments.sort(comparingInt(SegmentFacts::low));
  }

  /** Bytes of each shard; a segment counts where it begins. */
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
   * The highest rank of each shard but the last, ascending; some slice ends there. {@link
   * Integer#MAX_VALUE} where no end is found, for too few tables below level 0: then the last such
   * shard before has all that is left. Equal ends enclose an empty shard.
   *
   * @param shards how many, at least 1
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
      // Across as few bytes as can be; where that leaves a choice, as near as can be.
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
