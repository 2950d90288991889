// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.StalledException;
import io.coppice.base.WriteDebt;

/**
 * Holds groups back so that flushes and merges keep up: each byte takes its time at the present
 * {@linkplain WriteDebt debt}, and at a debt of 1 to merges writers stop until these have caught
 * up, fail or are paused. Safe to share between threads, but for what only the leader of the queue
 * calls.
 */
final class BackPressure {

  /** Merging that is wanted never slows writers more than so much debt: it stops nobody. */
  private static final double MOST_BACKLOG_DEBT = 0.75;

  /** Merges that must fail under the eyes of a waiting writer before it gives up. */
  private static final int MERGE_FAILURES = 2;

  /** Times that the policy must be asked in vain before a writer gives up. */
  private static final int MERGE_QUESTIONS = 2;

  private final WriteContext context;
  private final WriteGate gate;
  private final ActiveMemtables active;
  private final Flusher flusher;
  private final WriteDelay delay = new WriteDelay();

  // Guarded by the gate's lock.
  private boolean mergesPaused;

  /**
   * Starts without debt.
   *
   * @param active its wanted families are those of the group that is held back
   */
  BackPressure(WriteContext context, WriteGate gate, ActiveMemtables active, Flusher flusher) {
    this.context = context;
    this.gate = gate;
    this.active = active;
    this.flusher = flusher;
  }

  /** Notes whether compaction is paused. */
  void mergesPaused(boolean paused) {
    gate.lock.lock();
    try {
      mergesPaused = paused;
      gate.changed.signalAll();
    } finally {
      gate.lock.unlock();
    }
  }

  /** The delay in force, in nanoseconds for each byte. */
  double nanosPerByte() {
    return delay.nanosPerByte();
  }

  /**
   * Waits as long as the group's bytes cost at the present debt; stopping is the last resort. The
   * thread leads the queue.
   *
   * @throws StalledException if merges that must come first fail
   */
  void holdBack(long bytes) throws InterruptedException {
    for (WrittenFamily family : active.wanted()) {
      if (family.runsOverdue() >= WriteDebt.STOP_RUNS) {
        awaitMerges(family);
      }
    }
    long started = context.workers().nanoTime();
    long left = delay.book(started, bytes, debt());
    if (left == 0) {
      return;
    }
    StallEvent event = StallEvent.begun();
    gate.lock.lock();
    try {
      long end = started + left;
      while (left > 0 && gate.isOpen() && WriteDelay.nanosPerByte(debt()) > 0) {
        gate.changed.awaitNanos(left);
        left = end - context.workers().nanoTime();
      }
    } finally {
      gate.lock.unlock();
      context.listener().stalled(context.workers().nanoTime() - started);
      event.end(context.name(), StallEvent.PACE);
    }
  }

  /** How near writers are to stopping, for flushes or for merges. */
  private double debt() {
    double debt = Math.min(MOST_BACKLOG_DEBT, context.backlogDebt().getAsDouble());
    for (WrittenFamily family : active.wanted()) {
      debt = Math.max(debt, family.debt());
    }
    if (flusher.waiting() >= Flusher.MAX_SEALED) {
      double fill = (double) active.usedBytes() / context.memtableBytes();
      debt = Math.max(debt, WriteDelay.ofLastMemtable(Math.min(1, fill)));
    }
    return debt;
  }

  private void awaitMerges(WrittenFamily family) throws InterruptedException {
    long started = context.workers().nanoTime();
    StallEvent event = StallEvent.begun();
    try {
      long failures = family.mergeFailures();
      // The first answer may be to a question that was asked before the last flush.
      for (int asked = 0; asked < MERGE_QUESTIONS; asked++) {
        long stuck = family.stuckCount();
        context.listener().waitsForMerges(family.number());
        if (!awaitMerges(family, failures, stuck)) {
          return;
        }
      }
      throw new StalledException(
          "the write has no effect: writes wait for merges, and none begins",
          new IllegalStateException(family.stuckWhy()));
    } finally {
      context.listener().stalled(context.workers().nanoTime() - started);
      event.end(context.name(), StallEvent.MERGES);
    }
  }

  /** Returns true if the policy was asked and plans no merge, false if writers may go on. */
  private boolean awaitMerges(WrittenFamily family, long failures, long stuck)
      throws InterruptedException {
    gate.lock.lock();
    try {
      while (family.runsOverdue() >= WriteDebt.STOP_RUNS && gate.isOpen()) {
        if (family.stuckCount() > stuck) {
          return true;
        }
        if (family.mergeFailures() >= failures + MERGE_FAILURES) {
          throw new StalledException(
              "writes wait for merges, and these fail", family.mergeProblem());
        }
        if (mergesPaused) {
          throw new StalledException(
              "writes wait for merges", new IllegalStateException("compaction is paused"));
        }
        gate.changed.await();
      }
      return false;
    } finally {
      gate.lock.unlock();
    }
  }
}
