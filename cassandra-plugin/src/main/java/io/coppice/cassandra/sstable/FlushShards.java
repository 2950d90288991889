// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.step.TokenShards;
import io.coppice.policy.tuner.Tuner;
import java.util.Collection;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.ShardManager;
import org.apache.cassandra.db.compaction.ShardTracker;
import org.apache.cassandra.index.Index;

/**
 * Rules for cutting a flush into SSTables: their number and their bounds.
 *
 * <p>A stepped merge deletes an input once it ends, so a flush over all keys would stay until the
 * end of its merge. The number of SSTables is therefore about the size of the flush divided by the
 * table size. The bounds halve the owned tokens repeatedly, as in Cassandra's unified strategy, so
 * flushes of all sizes share bounds. If key ranges have rungs of their own, a flush is cut for
 * these too, because an SSTable across several ranges counts for the first alone.
 */
public final class FlushShards {

  private FlushShards() {}

  /**
   * Returns the number of SSTables into which the next flush is cut in each data directory, at
   * least 1; 1 if the partitioner cannot halve tokens.
   *
   * @param cfs a table that has its metrics
   */
  public static int count(ColumnFamilyStore cfs, PolicySpec spec) {
    if (cfs.getPartitioner().splitter().isEmpty()) {
      return 1;
    }
    int directories = Math.max(1, cfs.getDiskBoundaries().directories.size());
    double flushBytes = cfs.metric.flushSizeOnDisk.get() / directories;
    return TokenShards.countForFlush(flushBytes, spec.tableBytes(), Tuner.shards(spec));
  }

  /** Returns whether every index declares that it supports several SSTables per flush. */
  public static boolean allowedBy(Collection<Index.Group> indexes) {
    return indexes.stream().allMatch(CassandraCompatibility::supportsShards);
  }

  /** Returns the bounds that divide the tokens of this node into shards. */
  public static ShardTracker bounds(ColumnFamilyStore cfs, int shards) {
    return ShardManager.create(cfs).boundaries(shards);
  }
}
