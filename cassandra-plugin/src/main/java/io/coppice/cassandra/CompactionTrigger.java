// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager;

/**
 * A trigger that makes Cassandra ask a table's strategy again soon.
 *
 * <p>Cassandra asks after each task, on the thread of the task, which it counts as busy. While the
 * task held its SSTables, another thread may have been told that there is no work. Cassandra then
 * asks again only minutes later. Tasks that only change levels are short, so this happens often. No
 * method blocks.
 */
final class CompactionTrigger {

  // Afterwards the thread of the task is idle, and so is a thread that was told of no work.
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  // A task mostly releases its claim within an instant.
  private static final long WAITING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A scheduler that runs an action once after a delay. */
  interface Timer {
    void schedule(Runnable run, long nanos);
  }

  private final Timer timer;
  private final Runnable ask;
  private final AtomicBoolean soon = new AtomicBoolean();
  private final AtomicBoolean waiting = new AtomicBoolean();

  CompactionTrigger(ColumnFamilyStore cfs) {
    this(
        (run, nanos) -> ScheduledExecutors.optionalTasks.schedule(run, nanos, TimeUnit.NANOSECONDS),
        () -> {
          if (cfs.isValid()) {
            CompactionManager.instance.submitBackground(cfs);
          }
        });
  }

  CompactionTrigger(Timer timer, Runnable ask) {
    this.timer = timer;
    this.ask = ask;
  }

  /** Asks after 50 ms; calls before that have no further effect. */
  void soon() {
    once(soon, DELAY_NANOS);
  }

  /**
   * Asks after a second, because a merge waits for SSTables that another task has claimed. Calls
   * before that have no further effect: many merges may wait, and all report it each time Cassandra
   * asks.
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

  /** Asks after the given time, in addition to other requests. */
  void later(long nanos) {
    timer.schedule(ask, nanos);
  }
}
