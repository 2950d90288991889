// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager;

/**
 * Trigger that makes Cassandra ask a table's strategy for a task again soon.
 *
 * <p>Cassandra asks after each task, on the thread of the task, and counts that thread as busy.
 * While the task held its SSTables, another thread may have been told that there is no work.
 * Cassandra then asks again only minutes later. Tasks that only change levels are short, so this
 * happens often. No method blocks.
 */
final class CompactionTrigger {

  // After this time the thread of the task is idle, and so is a thread that was told of no work.
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  // A task that has claimed the SSTables of another one mostly releases them within a second.
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

  /**
   * Creates a trigger with its own scheduler, for tests.
   *
   * @param ask makes Cassandra ask for a task
   */
  CompactionTrigger(Timer timer, Runnable ask) {
    this.timer = timer;
    this.ask = ask;
  }

  /** Makes Cassandra ask in 50 ms. Further calls before that have no effect. */
  void soon() {
    once(soon, DELAY_NANOS);
  }

  /**
   * Makes Cassandra ask in a second, because a merge waits for SSTables that another task has
   * claimed. Further calls before that have no effect: many merges may wait, and all of them report
   * it each time Cassandra asks.
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

  /** Makes Cassandra ask after a time in nanoseconds, in addition to other requests. */
  void later(long nanos) {
    timer.schedule(ask, nanos);
  }
}
