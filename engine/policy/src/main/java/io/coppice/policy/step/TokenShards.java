// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

/**
 * Numbers of shards into which a host halves its tokens to cut outputs of merges and flushes. The
 * bounds of few shards are a subset of the bounds of many.
 */
public final class TokenShards {

  /**
   * Largest output, in tables. Halving gives shards 0.7 to 1.4 times the wanted size if keys are
   * evenly spread.
   */
  public static final double MAX_OUTPUT_TABLES = 1.5;

  // A smaller output, in tables, crosses a bound. With unevenly spread keys this avoids tiny
  // SSTables.
  private static final double MIN_OUTPUT_TABLES = 0.35;

  // The same bound for a merge that joins neighbors. With a lower one, a shard bound could leave
  // two of them unchanged, to be joined again.
  private static final double MIN_JOINED_OUTPUT_TABLES = 0.5;

  private static final int MAX_SHARDS = 1 << 20;

  // Maximum SSTables of a flush. More would create more small files than a merge can gain from.
  private static final int MAX_FLUSH_TABLES = 32;

  // Minimum SSTables per key range. Ranges end at other keys than the cuts of flushes; with two per
  // range, at least one is entirely inside each range.
  private static final int MIN_TABLES_PER_RANGE = 2;

  private TokenShards() {}

  /**
   * Returns the number of shards, a power of two, with which a shard comes nearest to the size of a
   * table.
   *
   * @param bytes bytes of the whole token range
   */
  public static int countForOutputs(double bytes, long tableBytes) {
    double shards = Math.min(MAX_SHARDS, bytes / tableBytes);
    // NaN fails this comparison too and gives one shard.
    return shards > 1 ? 1 << (int) Math.round(Math.log(shards) / Math.log(2)) : 1;
  }

  /**
   * Returns the number of SSTables of a flush, a power of two.
   *
   * @param flushBytes expected size of the flush, NaN if unknown
   * @param ranges number of key ranges with rungs of their own, at least 1. With one range, the
   *     result is 1 for flushes no larger than a table or of unknown size
   */
  public static int countForFlush(double flushBytes, long tableBytes, int ranges) {
    int min = ranges == 1 ? 1 : MIN_TABLES_PER_RANGE * ranges;
    double max = flushBytes > tableBytes ? Math.ceil(flushBytes / tableBytes) : 1;
    int tables = (int) Math.min(MAX_FLUSH_TABLES, Math.max(min, max));
    int floor = Integer.highestOneBit(tables);
    return floor == tables ? floor : 2 * floor;
  }

  /**
   * Returns the share of a table below which an output continues across a bound.
   *
   * @param joins whether the merge joins neighbors without overlap
   */
  public static double minOutputTables(boolean joins) {
    return joins ? MIN_JOINED_OUTPUT_TABLES : MIN_OUTPUT_TABLES;
  }

  /**
   * Returns the size of outputs that divides the bytes evenly, so that the last output is no small
   * rest.
   *
   * @param maxBytes the largest size
   */
  public static long evenOutputBytes(long maxBytes, long bytes) {
    long outputs = bytes / maxBytes + (bytes % maxBytes > 0 ? 1 : 0);
    return outputs <= 1 ? maxBytes : Math.min(maxBytes, bytes / outputs + bytes / outputs / 32);
  }
}
