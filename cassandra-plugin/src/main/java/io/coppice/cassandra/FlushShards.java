// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.PolicySpec;
import io.coppice.policy.Tuner;
import java.util.Collection;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.ShardManager;
import org.apache.cassandra.db.compaction.ShardTracker;
import org.apache.cassandra.index.Index;

/**
 * Into how many SSTables a flush is cut, and where. A merge that releases what it has consumed can
 * do so only with an input that ends: a flush over all keys would stay until its end. So a flush is
 * cut into about as many SSTables as the table size goes into it, at bounds that halve the owned
 * tokens again and again, as those of Cassandra's unified strategy, so that flushes of any sizes
 * share bounds. Where ranges of keys have policies of their own, a flush is cut for these too, as
 * what reaches across several of them counts for the first alone.
 */
final class FlushShards {

  // More would be more small files than a merge can gain by.
  private static final int MOST = 32;

  // Ranges end elsewhere than flushes are cut; so at least one of a flush's SSTables fits into
  // each.
  private static final int FOR_A_RANGE = 2;

  private FlushShards() {}

  /**
   * A power of two; where there is one range of keys, 1 for flushes that are no larger than a
   * table, or of unknown size (NaN).
   */
  static int count(double flushBytes, long tableBytes, int ranges) {
    int least = ranges == 1 ? 1 : FOR_A_RANGE * ranges;
    double most = flushBytes > tableBytes ? Math.ceil(flushBytes / tableBytes) : 1;
    int tables = (int) Math.min(MOST, Math.max(least, most));
    int floor = Integer.highestOneBit(tables);
    return floor == tables ? floor : 2 * floor;
  }

  /** As many as flushes are cut into now in each data directory. */
  static int count(ColumnFamilyStore cfs, PolicySpec spec) {
    if (cfs.getPartitioner().splitter().isEmpty()) {
      return 1;
    }
    int directories = Math.max(1, cfs.getDiskBoundaries().directories.size());
    double flushBytes = cfs.metric.flushSizeOnDisk.get() / directories;
    return count(flushBytes, spec.tableBytes(), Tuner.shards(spec));
  }

  /** True if every index can live with several SSTables of one flush, and says so. */
  static boolean allowedBy(Collection<Index.Group> indexes) {
    return indexes.stream().allMatch(Patches::supportsShards);
  }

  /** The bounds of so many shards of what this node owns. */
  static ShardTracker bounds(ColumnFamilyStore cfs, int shards) {
    return ShardManager.create(cfs).boundaries(shards);
  }
}
