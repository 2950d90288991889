// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager;

/**
 * Has Cassandra ask a table's strategy again a moment later. Cassandra does so itself after each
 * task, but on the task's own thread, which it counts as busy; if another thread has just been told
 * that there is nothing to do, as the task held its SSTables, nobody asks again for minutes. Tasks
 * that only change levels are so short that this happens all the time. Holds nobody up.
 */
final class Wake {

  // By then the thread of the task is idle, and so is one that was told there is nothing to do.
  private static final long DELAY_MILLIS = 50;

  private final ColumnFamilyStore cfs;
  private final AtomicBoolean set = new AtomicBoolean();

  Wake(ColumnFamilyStore cfs) {
    this.cfs = cfs;
  }

  /** Once, however often it is called until then. */
  void soon() {
    if (set.compareAndSet(false, true)) {
      ScheduledExecutors.optionalTasks.schedule(this::now, DELAY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Besides, after a while. */
  void later(long nanos) {
    ScheduledExecutors.optionalTasks.schedule(this::now, nanos, TimeUnit.NANOSECONDS);
  }

  private void now() {
    set.set(false);
    if (cfs.isValid()) {
      CompactionManager.instance.submitBackground(cfs);
    }
  }
}
