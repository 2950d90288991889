// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.policy.step.TokenShards;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.ShardManager;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Bounds of the outputs of merges. The owned tokens are halved repeatedly until a shard holds about
 * one SSTable of the wanted size.
 *
 * <p>The bounds of few shards are a subset of the bounds of many. Flushes and merges of all levels
 * therefore end SSTables at common bounds, and a later merge finds cuts without straddling inputs.
 * This needs a partitioner that can halve tokens.
 */
public final class OutputShards {

  private OutputShards() {}

  /**
   * Returns the number of shards for the outputs of a merge, a power of two; 0 if the partitioner
   * cannot halve tokens. Reads key estimates of the inputs from files.
   *
   * @param inputs the inputs of the merge that are left
   * @param tableBytes the wanted size of an output in bytes on disk
   */
  static int count(ColumnFamilyStore cfs, Set<SSTableReader> inputs, long tableBytes) {
    if (cfs.getPartitioner().splitter().isEmpty()) {
      return 0;
    }
    if (inputs.isEmpty()) {
      return 1;
    }
    ShardManager shards = ShardManager.create(cfs);
    double keys = Math.max(1, inputs.stream().mapToLong(OutputShards::partitions).sum());
    double distinct = Math.min(1, SSTableReader.getApproximateKeyCount(inputs) / keys);
    double bytes = shards.calculateCombinedDensity(inputs) * shards.shardSetCoverage() * distinct;
    return TokenShards.countForOutputs(bytes, tableBytes);
  }

  /**
   * Returns the partitions of an SSTable. Cassandra's estimate rounds up to whole samples of the
   * index summary, and exceeds twice the number in an SSTable of few large partitions. It bounds
   * the number in the statistics, which may be damaged.
   */
  private static long partitions(SSTableReader sstable) {
    long counted = sstable.getSSTableMetadata().estimatedPartitionSize.count();
    return Math.max(0, Math.min(counted, sstable.estimatedKeys()));
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
            (long) (tableBytes * TokenShards.MAX_OUTPUT_TABLES),
            shards,
            (long) Math.ceil(tableBytes * TokenShards.minOutputTables(joins)))
        : new StepWriter.Cutting(level, TokenShards.evenOutputBytes(tableBytes, bytes), 0, 0);
  }
}
