// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.concurrent.atomic.LongAdder;
import org.apache.cassandra.db.lifecycle.Tracker;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableAddedNotification;

/**
 * Counts what flushes of one table keep of their memtables, which tells how often keys are written
 * again within one: Cassandra has no such metric. Counts from {@link #of} on, for as long as the
 * table lives. Thread-safe.
 */
final class FlushCounts implements INotificationConsumer {

  private final LongAdder sealed = new LongAdder();
  private final LongAdder flushed = new LongAdder();
  private final ShardLoad shards = new ShardLoad();

  private FlushCounts() {}

  /** Begins to count. */
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

  /** How the load falls on shards of the keys. */
  ShardLoad shards() {
    return shards;
  }

  /** Rows and deletions that memtables have taken before they were flushed. */
  long sealedEntries() {
    return sealed.sum();
  }

  /** Those of them that the flushed SSTables have. */
  long flushedEntries() {
    return flushed.sum();
  }

  /** Rows, or partitions where there are more of them, as of some the deletion alone is left. */
  static long entries(SSTableReader sstable) {
    return Math.max(
        Math.max(0, sstable.getTotalRows()), sstable.getEstimatedPartitionSize().count());
  }
}
