// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.Workers;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Limits how many bytes a second merges write, all together. A merge pays for what it has written
 * before it goes on, so the limit holds over every stretch longer than a payment takes. It may
 * change at any time. Safe to share between threads.
 */
public final class MergeRate {

  /** The rate that is no limit. */
  public static final long UNLIMITED = 0;

  /** What was not used is kept so long. */
  private static final long KEPT_NANOS = 100_000_000;

  /** Who waits looks so often whether it is to end. */
  private static final long MOST_NANOS_A_WAIT = 50_000_000;

  private static final double NANOS = 1e9;

  private final Workers workers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed;

  /** Guarded by lock, but read without it. */
  private volatile long bytesPerSecond;

  /** Guarded by lock: when all that was written is paid for. */
  private long paidAtNanos;

  /**
   * Makes a limit.
   *
   * @param bytesPerSecond at least 1, or {@link #UNLIMITED}
   */
  public MergeRate(Workers workers, long bytesPerSecond) {
    this.workers = workers;
    this.bytesPerSecond = bytesPerSecond;
    changed = workers.condition(lock);
    paidAtNanos = workers.nanoTime();
  }

  /** The limit now. */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /** Sets another limit, which holds for what is not yet paid, too. */
  public void bytesPerSecond(long limit) {
    lock.lock();
    try {
      bytesPerSecond = limit;
      paidAtNanos = workers.nanoTime();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Pays for bytes written: returns when the limit allows more.
   *
   * @param ended true if the caller is to wait no longer
   */
  void pay(long bytes, BooleanSupplier ended) {
    if (bytesPerSecond == UNLIMITED) {
      return;
    }
    lock.lock();
    try {
      if (bytesPerSecond == UNLIMITED) {
        return;
      }
      long now = workers.nanoTime();
      long from = paidAtNanos - now < -KEPT_NANOS ? now - KEPT_NANOS : paidAtNanos;
      paidAtNanos = from + (long) (bytes * NANOS / bytesPerSecond);
      await(ended);
    } finally {
      lock.unlock();
    }
  }

  private void await(BooleanSupplier ended) {
    long left = paidAtNanos - workers.nanoTime();
    while (left > 0 && !ended.getAsBoolean()) {
      try {
        changed.awaitNanos(Math.min(left, MOST_NANOS_A_WAIT));
      } catch (InterruptedException e) {
        // Merges run on threads of the store, or in a test; the limit is not worth failing for.
        Thread.currentThread().interrupt();
        return;
      }
      left = paidAtNanos - workers.nanoTime();
    }
  }
}
