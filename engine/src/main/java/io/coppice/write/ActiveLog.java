// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.Workers;
import io.coppice.entry.EntryBatch;
import io.coppice.wal.WalWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The log that takes writes now. A log must be durable before the next one begins, so it is synced
 * in steps while it grows, by a worker of its own; a writer that ends it has little left to wait
 * for. One thread at a time calls.
 */
final class ActiveLog implements AutoCloseable {

  /** Ten milliseconds of a disk that writes 800 MB/s. */
  static final long MAX_STEP_BYTES = 8 << 20;

  /** A small memtable's log is synced so often while it grows. */
  private static final int STEPS = 4;

  /** The sync of a shorter step is not worth that a memtable grows. */
  private static final long LEAST_CATCH_UP_BYTES = 2 << 20;

  private final Consumer<Throwable> failed;
  private final long stepBytes;
  private final Workers.Worker worker;

  /** Held while the log is synced or exchanged, so that none is synced after its end. */
  private final ReentrantLock syncing = new ReentrantLock();

  /** Changed under the lock, by the caller alone. */
  private WalWriter log;

  private long nextStep;

  /** Where the log was when somebody was about to end it; 0 before that. */
  private volatile long wanted;

  private volatile boolean broken;

  /**
   * Starts the worker.
   *
   * @param log new and empty, taken over
   * @param memtableBytes about as long as a log gets
   * @param failed told when a sync by the worker fails; the log then takes nothing more
   */
  ActiveLog(
      WalWriter log, long memtableBytes, Workers workers, String name, Consumer<Throwable> failed) {
    this.log = log;
    this.failed = failed;
    stepBytes = Math.min(MAX_STEP_BYTES, memtableBytes / STEPS);
    nextStep = stepBytes;
    worker = workers.start(name, this::syncStep);
  }

  /** As {@link WalWriter#append}. */
  void append(long firstSequence, List<EntryBatch> batches) throws IOException {
    log.append(firstSequence, batches);
    if (log.position() >= nextStep) {
      nextStep = log.position() + stepBytes;
      worker.wake();
    }
  }

  /** As {@link WalWriter#sync}. */
  void sync() throws IOException {
    syncing.lock();
    try {
      log.sync();
    } finally {
      syncing.unlock();
    }
  }

  /** Returns true if the log takes nothing more. Called by the thread that appends. */
  boolean isBroken() {
    return log.isBroken();
  }

  /**
   * Returns true while the worker syncs what the log had at the first call, which starts that. A
   * thread that ends the log afterwards has little left to sync.
   */
  boolean catchesUp() {
    if (stepBytes < LEAST_CATCH_UP_BYTES) {
      return false;
    }
    if (wanted == 0) {
      wanted = log.position();
      worker.wake();
    }
    return !broken && log.syncedPosition() < wanted;
  }

  /** As {@link WalWriter#finish}. */
  void finish() throws IOException {
    syncing.lock();
    try {
      log.finish();
    } finally {
      syncing.unlock();
    }
  }

  /** Ends the present log, which was finished, and goes on with another; the caller closes it. */
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

  /** The present log. */
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

  /** Ends the worker and closes the log as it is. */
  @Override
  public void close() throws IOException {
    worker.close();
    log.close();
  }
}
