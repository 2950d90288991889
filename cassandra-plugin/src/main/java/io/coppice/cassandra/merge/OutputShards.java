// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.ShardManager;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Bounds of the outputs of merges. The owned tokens are halved repeatedly until a shard holds about
 * one SSTable of the wanted size.
 *
 * <p>The bounds of few shards are a subset of the bounds of many. SSTables of all runs and levels,
 * and of flushes, therefore end at common bounds, and a later merge finds cuts without straddling
 * inputs.
 */
public final class OutputShards {

  // Largest output, in tables. Halving gives shards 0.7 to 1.4 times the wanted size if keys are
  // evenly spread.
  private static final double MAX_OF_TABLE = 1.5;

  // A smaller output, in tables, crosses a bound. With unevenly spread keys this avoids tiny
  // SSTables.
  private static final double MIN_OF_TABLE = 0.35;

  // The same bound for a merge that joins neighbors. With a lower one, a shard bound could leave
  // two of them unchanged, to be joined again.
  private static final double MIN_OF_JOINED = 0.5;

  private static final int MAX_SHARDS = 1 << 20;

  private OutputShards() {}

  /** Returns the number of shards for the outputs of a merge; 0 if tokens cannot be halved. */
  static int count(ColumnFamilyStore cfs, Set<SSTableReader> inputs, long tableBytes) {
    if (cfs.getPartitioner().splitter().isEmpty()) {
      return 0;
    }
    if (inputs.isEmpty()) {
      return 1;
    }
    ShardManager shards = ShardManager.create(cfs);
    double keys = Math.max(1, inputs.stream().mapToLong(SSTableReader::estimatedKeys).sum());
    double distinct = Math.min(1, SSTableReader.getApproximateKeyCount(inputs) / keys);
    double bytes = shards.calculateCombinedDensity(inputs) * shards.shardSetCoverage() * distinct;
    return count(bytes, tableBytes);
  }

  /**
   * Returns the number of shards, a power of two, with which a shard comes nearest to the size of a
   * table.
   *
   * @param bytes bytes of the whole token range
   */
  public static int count(double bytes, long tableBytes) {
    double shards = Math.min(MAX_SHARDS, bytes / tableBytes);
    // NaN fails this comparison too and gives one shard.
    return shards > 1 ? 1 << (int) Math.round(Math.log(shards) / Math.log(2)) : 1;
  }

  /**
   * Returns the rules for cutting outputs.
   *
   * @param shards number of shards; if 0, tokens cannot be halved and outputs have equal size
   * @param bytes an upper bound of the bytes to write
   * @param joins whether the merge turns several inputs without overlap into fewer
   */
  static StepWriter.Cutting cutting(
      int level, long tableBytes, int shards, long bytes, boolean joins) {
    return shards > 0
        ? new StepWriter.Cutting(
            level,
            (long) (tableBytes * MAX_OF_TABLE),
            shards,
            (long) Math.ceil(tableBytes * minOfTable(joins)))
        : new StepWriter.Cutting(level, evenly(tableBytes, bytes), 0, 0);
  }

  /**
   * Returns the share of a table below which an output continues across a bound.
   *
   * @param joins whether the merge joins neighbors without overlap
   */
  public static double minOfTable(boolean joins) {
    return joins ? MIN_OF_JOINED : MIN_OF_TABLE;
  }

  /**
   * Returns the size of outputs that divides the bytes evenly, so that the last output is no small
   * rest.
   *
   * @param most the largest size
   */
  private static long evenly(long most, long bytes) {
    long outputs = bytes / most + (bytes % most > 0 ? 1 : 0);
    return outputs <= 1 ? most : Math.min(most, bytes / outputs + bytes / outputs / 32);
  }
}
