// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.ShardManager;
import org.apache.cassandra.db.compaction.ShardTracker;
import org.apache.cassandra.db.compaction.writers.MaxSSTableSizeWriter;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.format.SSTableWriter;

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

  /** A writer that cuts there. */
  static final class Writer extends MaxSSTableSizeWriter {

    private final ShardTracker bounds;
    private final double leastBytes;

    /**
     * Takes a transaction.
     *
     * @param sstables what is read
     */
    Writer(
        ColumnFamilyStore cfs,
        Directories directories,
        LifecycleTransaction transaction,
        Set<SSTableReader> sstables,
        Chain.Order order,
        int shards) {
      super(
          cfs,
          directories,
          transaction,
          sstables,
          (long) (order.tableBytes() * MOST_OF_TABLE),
          order.level());
      this.bounds = ShardManager.create(cfs).boundaries(shards);
      this.leastBytes = order.tableBytes() * LEAST_OF_TABLE;
    }

    @Override
    protected boolean shouldSwitchWriterInCurrentLocation(DecoratedKey key) {
      boolean crossed = bounds.advanceTo(key.getToken());
      return super.shouldSwitchWriterInCurrentLocation(key)
          || crossed && sstableWriter.currentWriter().getEstimatedOnDiskBytesWritten() > leastBytes;
    }

    @Override
    protected SSTableWriter sstableWriter(
        Directories.DataDirectory directory, DecoratedKey nextKey) {
      if (nextKey != null) {
        bounds.advanceTo(nextKey.getToken());
      }
      return super.sstableWriter(directory, nextKey);
    }
  }
}
