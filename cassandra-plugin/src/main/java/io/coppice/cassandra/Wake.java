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
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  // What something else has claimed is mostly given back in an instant.
  private static final long WAITING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Runs something once, after a while. */
  interface Timer {
    void schedule(Runnable run, long nanos);
  }

  private final Timer timer;
  private final Runnable ask;
  private final AtomicBoolean soon = new AtomicBoolean();
  private final AtomicBoolean waiting = new AtomicBoolean();

  Wake(ColumnFamilyStore cfs) {
    this(
        (run, nanos) -> ScheduledExecutors.optionalTasks.schedule(run, nanos, TimeUnit.NANOSECONDS),
        () -> {
          if (cfs.isValid()) {
            CompactionManager.instance.submitBackground(cfs);
          }
        });
  }

  Wake(Timer timer, Runnable ask) {
    this.timer = timer;
    this.ask = ask;
  }

  /** Once, however often it is called until then. */
  void soon() {
    once(soon, DELAY_NANOS);
  }

  /**
   * After a second, as something waits for what else is claimed; once, however often it is called
   * until then, as many merges may wait, and all do again each time that Cassandra asks.
   */
  void whileWaiting() {
    once(waiting, WAITING_NANOS);
  }

  private void once(AtomicBoolean set, long nanos) {
    if (set.compareAndSet(false, true)) {
      timer.schedule(
          () -> {
            set.set(false);
            ask.run();
          },
          nanos);
    }
  }

  /** Besides, after a while. */
  void later(long nanos) {
    timer.schedule(ask, nanos);
  }
}
