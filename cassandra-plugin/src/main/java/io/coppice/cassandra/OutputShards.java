// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.ShardManager;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Where merges cut their outputs: at bounds that halve the owned tokens again and again, so often
 * that a shard holds about one SSTable of the wanted size. The bounds of few shards are among those
 * of many, so SSTables of all runs and levels, and of flushes, end at common bounds; and a later
 * merge finds places to cut at which no input straddles.
 */
final class OutputShards {

  // Shards are halved, so an SSTable has 0.7 to 1.4 of the wanted size where keys are spread
  // evenly.
  private static final double MOST_OF_TABLE = 1.5;

  // Where they are not, a bound is passed over rather than that tiny SSTables come to be.
  private static final double LEAST_OF_TABLE = 0.35;

  // Of joined neighbours: else a bound between two could leave them as they are, to be joined
  // again.
  private static final double LEAST_OF_JOINED = 0.5;

  private static final int MOST_SHARDS = 1 << 20;

  private OutputShards() {}

  /** How many shards the outputs of a merge need; 0 if tokens cannot be halved. */
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

  /** The power of two that brings a share nearest to the size of a table. */
  static int count(double bytes, long tableBytes) {
    double shards = Math.min(MOST_SHARDS, bytes / tableBytes);
    // Not above 1 is also true of no number.
    return shards > 1 ? 1 << (int) Math.round(Math.log(shards) / Math.log(2)) : 1;
  }

  /**
   * How outputs are cut.
   *
   * @param shards as counted; 0 if tokens cannot be halved, then outputs are of equal size
   * @param bytes what there is to write, at most
   * @param joins whether several inputs of which none overlaps another are made into fewer
   */
  static StepWriter.Cutting cutting(
      int level, long tableBytes, int shards, long bytes, boolean joins) {
    return shards > 0
        ? new StepWriter.Cutting(
            level,
            (long) (tableBytes * MOST_OF_TABLE),
            shards,
            (long) Math.ceil(tableBytes * leastOfTable(joins)))
        : new StepWriter.Cutting(level, evenly(tableBytes, bytes), 0, 0);
  }

  /** Below which share of a table an output goes on across a bound. */
  static double leastOfTable(boolean joins) {
    return joins ? LEAST_OF_JOINED : LEAST_OF_TABLE;
  }

  /** Where to cut outputs so that the last one is not a small rest. */
  private static long evenly(long most, long bytes) {
    long outputs = bytes / most + (bytes % most > 0 ? 1 : 0);
    return outputs <= 1 ? most : Math.min(most, bytes / outputs + bytes / outputs / 32);
  }
}
