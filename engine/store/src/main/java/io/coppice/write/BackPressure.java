// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.StalledException;
import io.coppice.base.WritePressure;
import io.coppice.write.family.ActiveMemtables;
import io.coppice.write.family.FamilyWriteState;

/**
 * Back-pressure on writers: it delays or stops groups so that flushes and merges keep up.
 *
 * <p>A store accepts writes faster than merges can absorb them. Without control, runs accumulate in
 * level 0 until reads suffer, or writers stop abruptly for seconds. This class makes writers slower
 * early and evenly instead. The {@linkplain WritePressure write pressure} is the largest of three
 * values:
 *
 * <pre>
 * flushed runs above the resting number  FamilyWriteState.pressure    unbounded
 * backlog of wanted merges               WriteContext.backlogPressure up to 0.75
 * fill of the last free memtable         WriteDelay.ofLastMemtable
 *
 *  pressure  0 ......... FREE ............................. 1
 *  writers   at full speed | each byte waits its time       | stop until merges
 *                          | (WriteDelay: exponential)      | catch up or fail
 * </pre>
 *
 * <p>A group reserves time for its bytes on the shared timeline of {@link WriteDelay} and sleeps
 * for it. It wakes early when the pressure is gone. The backlog alone never stops writers. At
 * {@link WritePressure#STOP_RUNS} overdue runs writers wait for merges of that family. The wait
 * ends with {@link StalledException} if merges fail twice, the policy plans none twice, or
 * compaction is paused.
 *
 * <p>Safe to share between threads, except the methods that only the leader of the write queue
 * calls.
 */
final class BackPressure {

  /** Upper bound of the pressure from the merge backlog, which therefore stops no writer. */
  private static final double MAX_BACKLOG_PRESSURE = 0.75;

  /** Number of merge failures during a wait after which the writer gives up. */
  private static final int MERGE_FAILURES = 2;

  /** Number of requests to the policy without a plan after which the writer gives up. */
  private static final int MERGE_QUESTIONS = 2;

  private final WriteContext context;
  private final WriteGate gate;
  private final ActiveMemtables active;
  private final Flusher flusher;
  private final WriteDelay delay = new WriteDelay();

  @GuardedBy("gate.lock")
  private boolean mergesPaused;

  /**
   * Creates an instance without pressure.
   *
   * @param active its wanted families are those of the group that waits
   */
  BackPressure(WriteContext context, WriteGate gate, ActiveMemtables active, Flusher flusher) {
    this.context = context;
    this.gate = gate;
    this.active = active;
    this.flusher = flusher;
  }

  /** Records whether compaction is paused. */
  void mergesPaused(boolean paused) {
    gate.lock.lock();
    try {
      mergesPaused = paused;
      gate.changed.signalAll();
    } finally {
      gate.lock.unlock();
    }
  }

  /** Returns the present delay in nanoseconds per byte. */
  double nanosPerByte() {
    return delay.nanosPerByte();
  }

  /**
   * Delays the group for the time that its bytes cost at the present write pressure. Waits for
   * merges or flushes only at a pressure of 1 or more. Called by the leader of the write queue.
   *
   * @param bytes bytes of the group
   * @throws StalledException if the merges that it waits for fail twice, are paused, or the policy
   *     plans none twice
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void holdBack(long bytes) throws InterruptedException {
    for (FamilyWriteState family : active.wanted()) {
      if (family.overdueRuns() >= WritePressure.STOP_RUNS) {
        awaitMerges(family);
      }
    }
    long started = context.workers().nanoTime();
    long left = delay.book(started, bytes, pressure());
    if (left == 0) {
      return;
    }
    StallEvent event = StallEvent.begun();
    gate.lock.lock();
    try {
      long end = started + left;
      while (left > 0 && gate.isOpen() && WriteDelay.nanosPerByte(pressure()) > 0) {
        gate.changed.awaitNanos(left);
        left = end - context.workers().nanoTime();
      }
    } finally {
      gate.lock.unlock();
      context.listener().stalled(context.workers().nanoTime() - started);
      event.end(context.name(), StallEvent.PACE);
    }
  }

  /**
   * Returns how near writers are to stopping for flushes or merges: 0 or more, and from 1 on they
   * stop.
   */
  private double pressure() {
    double pressure = Math.min(MAX_BACKLOG_PRESSURE, context.backlogPressure().getAsDouble());
    for (FamilyWriteState family : active.wanted()) {
      pressure = Math.max(pressure, family.pressure());
    }
    if (flusher.waiting() >= Flusher.MAX_SEALED) {
      double fill = (double) active.usedBytes() / context.memtableBytes();
      pressure = Math.max(pressure, WriteDelay.ofLastMemtable(Math.min(1, fill)));
    }
    return pressure;
  }

  private void awaitMerges(FamilyWriteState family) throws InterruptedException {
    long started = context.workers().nanoTime();
    StallEvent event = StallEvent.begun();
    try {
      long failures = family.mergeFailures();
      // The first answer may be to a request from before the last flush.
      for (int asked = 0; asked < MERGE_QUESTIONS; asked++) {
        long stuck = family.stuckCount();
        context.listener().waitsForMerges(family.number());
        if (!awaitMerges(family, failures, stuck)) {
          return;
        }
      }
      throw new StalledException(
          "write failed: level 0 is full, and its policy starts no merge",
          new IllegalStateException(family.stuckWhy()));
    } finally {
      context.listener().stalled(context.workers().nanoTime() - started);
      event.end(context.name(), StallEvent.MERGES);
    }
  }

  /**
   * Waits until merges of a family leave few enough runs in level 0. Returns true if the policy was
   * asked and has no merge, false if writers may continue.
   *
   * @param failures number of failed plans of the family before the wait
   * @param stuck number of reports that the policy has no plan, before it was asked again
   */
  private boolean awaitMerges(FamilyWriteState family, long failures, long stuck)
      throws InterruptedException {
    gate.lock.lock();
    try {
      while (family.overdueRuns() >= WritePressure.STOP_RUNS && gate.isOpen()) {
        if (family.stuckCount() > stuck) {
          return true;
        }
        if (family.mergeFailures() >= failures + MERGE_FAILURES) {
          throw new StalledException(
              "write failed: level 0 is full, and "
                  + MERGE_FAILURES
                  + " merges failed during the wait",
              family.mergeProblem());
        }
        if (mergesPaused) {
          throw new StalledException(
              "write failed: level 0 is full", new IllegalStateException("compaction is paused"));
        }
        gate.changed.await();
      }
      return false;
    } finally {
      gate.lock.unlock();
    }
  }
}
