// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import java.util.concurrent.atomic.LongAdder;
import org.apache.cassandra.db.lifecycle.Tracker;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableAddedNotification;

/**
 * Counters of the entries that memtables of a table had and of those that their flushes keep. The
 * ratio tells how often keys are overwritten within one memtable. Cassandra has no such metric.
 * Counting lasts from {@link #of} to the end of the table. Thread-safe.
 */
final class FlushCounts implements INotificationConsumer {

  private final LongAdder sealed = new LongAdder();
  private final LongAdder flushed = new LongAdder();
  private final ShardLoad shards = new ShardLoad();

  private FlushCounts() {}

  /** Creates counters and subscribes them to a table's tracker. */
  static FlushCounts of(Tracker tracker) {
    FlushCounts counts = new FlushCounts();
    tracker.subscribe(counts);
    return counts;
  }

  @Override
  public void handleNotification(INotification notification, Object sender) {
    if (notification instanceof SSTableAddedNotification added && added.memtable().isPresent()) {
      Memtable memtable = added.memtable().get();
      long kept = 0;
      for (SSTableReader sstable : added.added) {
        kept += entries(sstable);
        shards.flushed(sstable);
      }
      sealed.add(memtable.operationCount());
      flushed.add(Math.min(kept, memtable.operationCount()));
    }
  }

  /** Returns the distribution of the load over shards of the keys. */
  ShardLoad shards() {
    return shards;
  }

  /** Returns the number of rows and tombstones that flushed memtables had taken. */
  long sealedEntries() {
    return sealed.sum();
  }

  /** Returns the number of those rows and tombstones that the flushed SSTables contain. */
  long flushedEntries() {
    return flushed.sum();
  }

  /**
   * Returns the larger of the numbers of rows and partitions, because some partitions have only a
   * tombstone.
   */
  static long entries(SSTableReader sstable) {
    return Math.max(
        Math.max(0, sstable.getTotalRows()), sstable.getEstimatedPartitionSize().count());
  }
}
