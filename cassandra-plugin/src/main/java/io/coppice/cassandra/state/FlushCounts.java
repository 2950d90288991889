// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.cassandra.db.lifecycle.Tracker;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableAddedNotification;

/**
 * Counters of the bytes and entries that memtables of a table had and of the entries that their
 * flushes keep. The ratio of the entries tells how often keys are overwritten within one memtable.
 * Cassandra has no such metrics. Counting lasts from {@link #of} to the end of the table.
 * Thread-safe.
 */
final class FlushCounts implements INotificationConsumer {

  private final LongAdder sealed = new LongAdder();
  private final LongAdder flushed = new LongAdder();
  private final ShardLoad shards = new ShardLoad();

  // The size of each memtable that is included in the written bytes.
  @GuardedBy("this")
  private final Map<Memtable, Long> counted = new WeakHashMap<>();

  @GuardedBy("this")
  private long writtenBytes;

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
      countBytes(memtable);
      long kept = 0;
      for (SSTableReader sstable : added.added) {
        kept += entries(sstable);
        shards.flushed(sstable);
      }
      sealed.add(memtable.operationCount());
      flushed.add(Math.min(kept, memtable.operationCount()));
    }
  }

  /**
   * Returns the bytes of data that memtables have taken. An overwrite within one memtable adds only
   * the growth of the row.
   *
   * @param now the present view of the table, for the memtables that are not flushed yet
   */
  synchronized long writtenBytes(View now) {
    now.getAllMemtables().forEach(this::countBytes);
    return writtenBytes;
  }

  private synchronized void countBytes(Memtable memtable) {
    long size = memtable.getLiveDataSize();
    Long before = counted.put(memtable, size);
    writtenBytes += Math.max(0, size - (before == null ? 0 : before));
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
