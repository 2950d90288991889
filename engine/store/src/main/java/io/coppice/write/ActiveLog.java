// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.thread.Workers;
import io.coppice.entry.EntryBatch;
import io.coppice.wal.WalWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The log that receives the present writes. A worker syncs it in steps while it grows, because a
 * log must be durable before the next one begins; the writer that ends it then waits only briefly.
 * Used by one writing thread at a time.
 */
final class ActiveLog implements AutoCloseable {

  /** Largest sync step, in bytes. A disk that writes 800 MB/s takes 10 ms for it. */
  static final long MAX_STEP_BYTES = 8 << 20;

  /** Minimum number of sync steps per log. */
  private static final int STEPS = 4;

  /**
   * Step size in bytes below which {@link #catchesUp} is false, because ending the log waits only
   * briefly.
   */
  private static final long MIN_CATCH_UP_BYTES = 2 << 20;

  private final Consumer<Throwable> failed;
  private final long stepBytes;
  private final Workers.Worker worker;

  /**
   * Held during a sync and while the log is replaced, so that the worker never syncs a replaced
   * log.
   */
  private final ReentrantLock syncing = new ReentrantLock();

  /** Log that receives writes. Only the writing thread replaces it, under the lock. */
  private WalWriter log;

  private long nextStep;

  /** Position of the log at the first call of {@link #catchesUp}; 0 before that. */
  private volatile long wanted;

  private volatile boolean broken;

  /**
   * Starts the worker for syncs.
   *
   * @param log new and empty; this object closes it
   * @param memtableBytes approximate final length of a log in bytes
   * @param failed called by the worker when its sync fails; the log then refuses further writes
   */
  ActiveLog(
      WalWriter log, long memtableBytes, Workers workers, String name, Consumer<Throwable> failed) {
    this.log = log;
    this.failed = failed;
    stepBytes = Math.min(MAX_STEP_BYTES, memtableBytes / STEPS);
    nextStep = stepBytes;
    worker = workers.start(name, this::syncStep);
  }

  /** Appends a record, as {@link WalWriter#append} does. */
  void append(long firstSequence, List<EntryBatch> batches) throws IOException {
    log.append(firstSequence, batches);
    if (log.position() >= nextStep) {
      nextStep = log.position() + stepBytes;
      worker.wake();
    }
  }

  /** Makes the log durable, as {@link WalWriter#sync} does. */
  void sync() throws IOException {
    syncing.lock();
    try {
      log.sync();
    } finally {
      syncing.unlock();
    }
  }

  /** Returns whether the log refuses further writes. Called by the thread that appends. */
  boolean isBroken() {
    return log.isBroken();
  }

  /**
   * Returns whether the worker is still syncing the bytes that the log had at the first call. The
   * first call starts this sync. A caller that waits until the result is false can end the log with
   * little delay.
   */
  boolean catchesUp() {
    if (stepBytes < MIN_CATCH_UP_BYTES) {
      return false;
    }
    if (wanted == 0) {
      wanted = log.position();
      worker.wake();
    }
    return !broken && log.syncedPosition() < wanted;
  }

  /** Finishes the log, as {@link WalWriter#finish} does. */
  void finish() throws IOException {
    syncing.lock();
    try {
      log.finish();
    } finally {
      syncing.unlock();
    }
  }

  /**
   * Replaces the finished log by an empty one, which this object then owns. Waits for a sync in
   * progress. Returns the old log, which the caller closes.
   */
  WalWriter exchange(WalWriter next) {
    syncing.lock();
    try {
      WalWriter ended = log;
      log = next;
      nextStep = stepBytes;
      wanted = 0;
      return ended;
    } finally {
      syncing.unlock();
    }
  }

  /** Returns the log that receives writes, which stays owned by this object. */
  WalWriter present() {
    return log;
  }

  private long syncStep() {
    syncing.lock();
    try {
      long synced = log.syncedPosition();
      if (!broken && (log.position() - synced >= stepBytes || synced < wanted)) {
        log.sync();
      }
    } catch (IOException | RuntimeException | Error e) {
      broken = true;
      failed.accept(e);
    } finally {
      syncing.unlock();
    }
    return Workers.UNTIL_WOKEN;
  }

  /** Stops the worker and closes the log without a sync. */
  @Override
  public void close() throws IOException {
    worker.close();
    log.close();
  }
}
