// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import io.coppice.policy.spec.PolicySpec;
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

  // Most SSTables of a flush. More would create more small files than a merge can gain from.
  private static final int MOST = 32;

  // Least SSTables per key range. Ranges end at other keys than the cuts of flushes; with two per
  // range, at least one is entirely inside each range.
  private static final int FOR_A_RANGE = 2;

  private FlushShards() {}

  /**
   * Returns the number of SSTables of a flush, a power of two.
   *
   * @param flushBytes expected size of the flush, NaN if unknown
   * @param ranges number of key ranges with rungs of their own, at least 1. With one range, the
   *     result is 1 for flushes no larger than a table or of unknown size
   */
  public static int count(double flushBytes, long tableBytes, int ranges) {
    int least = ranges == 1 ? 1 : FOR_A_RANGE * ranges;
    double most = flushBytes > tableBytes ? Math.ceil(flushBytes / tableBytes) : 1;
    int tables = (int) Math.min(MOST, Math.max(least, most));
    int floor = Integer.highestOneBit(tables);
    return floor == tables ? floor : 2 * floor;
  }

  /** Returns the number of SSTables into which the next flush is cut in each data directory. */
  public static int count(ColumnFamilyStore cfs, PolicySpec spec) {
    if (cfs.getPartitioner().splitter().isEmpty()) {
      return 1;
    }
    int directories = Math.max(1, cfs.getDiskBoundaries().directories.size());
    double flushBytes = cfs.metric.flushSizeOnDisk.get() / directories;
    return count(flushBytes, spec.tableBytes(), Tuner.shards(spec));
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
