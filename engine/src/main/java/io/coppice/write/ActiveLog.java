// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.entry.EntryBatch;
import io.coppice.wal.WalWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The log that takes writes now. A log must be durable before the next one begins, so it is synced
 * in steps while it grows, by a thread of its own; a writer that ends it has little left to wait
 * for. One thread at a time calls.
 */
final class ActiveLog implements AutoCloseable {

  /** Ten milliseconds of a disk that writes 800 MB/s. */
  static final long STEP_BYTES = 8 << 20;

  private final Consumer<Throwable> failed;
  private final Thread thread;

  /** Held while the log is synced or exchanged, so that none is synced after its end. */
  private final ReentrantLock syncing = new ReentrantLock();

  /** Changed under the lock, by the caller alone. */
  private WalWriter log;

  private long nextStep = STEP_BYTES;
  private volatile boolean closed;

  /**
   * Starts the thread.
   *
   * @param log new and empty, taken over
   * @param failed told when a sync by the thread fails; the log then takes nothing more
   */
  ActiveLog(WalWriter log, String threadName, Consumer<Throwable> failed) {
    this.log = log;
    this.failed = failed;
    thread = new Thread(this::syncInSteps, threadName);
    thread.setDaemon(true);
    thread.start();
  }

  /** As {@link WalWriter#append}. */
  void append(long firstSequence, List<EntryBatch> batches) throws IOException {
    log.append(firstSequence, batches);
    if (log.position() >= nextStep) {
      nextStep = log.position() + STEP_BYTES;
      LockSupport.unpark(thread);
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

  /** Ends the present log, which was synced, and goes on with another; the caller closes it. */
  WalWriter exchange(WalWriter next) {
    syncing.lock();
    try {
      WalWriter ended = log;
      log = next;
      nextStep = STEP_BYTES;
      return ended;
    } finally {
      syncing.unlock();
    }
  }

  /** The present log. */
  WalWriter present() {
    return log;
  }

  private void syncInSteps() {
    while (!closed) {
      LockSupport.park(this);
      syncing.lock();
      try {
        if (!closed && log.position() - log.syncedPosition() >= STEP_BYTES) {
          log.sync();
        }
      } catch (IOException | RuntimeException | Error e) {
        failed.accept(e);
        return;
      } finally {
        syncing.unlock();
      }
    }
  }

  /** Ends the thread and closes the log as it is. */
  @Override
  public void close() throws IOException {
    closed = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    log.close();
  }
}
