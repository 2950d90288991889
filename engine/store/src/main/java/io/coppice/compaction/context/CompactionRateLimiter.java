// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.context;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.thread.StackCheckedLock;
import io.coppice.base.thread.Workers;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Rate limiter for the bytes that all merges together write per second. A merge waits after each
 * piece that it wrote, so the limit holds over any time longer than one such wait. The limit may
 * change at any time. Safe to share between threads.
 */
public final class CompactionRateLimiter {

  /** Rate in bytes per second that means no limit. */
  public static final long UNLIMITED = 0;

  /** Time in nanoseconds after which unused allowance expires. */
  private static final long KEPT_NANOS = 100_000_000;

  /** Longest time a throttled merge sleeps before it checks whether to stop, in nanoseconds. */
  private static final long MAX_NANOS_PER_WAIT = 50_000_000;

  private static final double NANOS = 1e9;

  private final Workers workers;
  private final ReentrantLock lock = new StackCheckedLock();
  private final Condition changed;

  /** The limit; written under the lock, read without it. */
  private volatile long bytesPerSecond;

  /** Earliest instant by {@link Workers#nanoTime} when all bytes written comply with the limit. */
  @GuardedBy("lock")
  private long paidAtNanos;

  /**
   * Creates a limiter with its rate.
   *
   * @param bytesPerSecond at least 1, or {@link #UNLIMITED}
   */
  public CompactionRateLimiter(Workers workers, long bytesPerSecond) {
    this.workers = workers;
    this.bytesPerSecond = bytesPerSecond;
    changed = workers.condition(lock);
    paidAtNanos = workers.nanoTime();
  }

  /** Returns the present limit in bytes per second. */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /**
   * Sets another limit in bytes per second, or {@link #UNLIMITED}. It ends the waits for bytes
   * already written.
   */
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
   * Waits until the limit allows the bytes that the caller has written. An interrupt ends the wait
   * and stays set.
   *
   * @param bytes bytes written since the last call
   * @param ended returns whether the caller must stop waiting; asked every 50 ms
   */
  public void pay(long bytes, BooleanSupplier ended) {
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

  @GuardedBy("lock")
  private void await(BooleanSupplier ended) {
    long left = paidAtNanos - workers.nanoTime();
    while (left > 0 && !ended.getAsBoolean()) {
      try {
        changed.awaitNanos(Math.min(left, MAX_NANOS_PER_WAIT));
      } catch (InterruptedException e) {
        // The thread belongs to the store or to a test; a rate limit is no reason to fail.
        Thread.currentThread().interrupt();
        return;
      }
      left = paidAtNanos - workers.nanoTime();
    }
  }
}
