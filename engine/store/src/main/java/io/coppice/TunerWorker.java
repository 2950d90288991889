// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.thread.Workers;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Background worker of a store that adapts policies to the load. It starts with the first family
 * whose policy adapts, so other stores have none. The first exception ends tuning for good and
 * changes nothing else: policies stay as they are. Safe to share between threads.
 */
final class TunerWorker implements AutoCloseable {

  private final Workers workers;
  private final String name;
  private final Workers.Task round;
  private final Consumer<Throwable> failed;
  private volatile boolean ended;

  /** Worker of the rounds; null until it is needed. */
  @GuardedBy("this")
  private Workers.@Nullable Worker worker;

  /**
   * Creates the object without a worker, which the first {@link #wake} starts.
   *
   * @param name name of the worker's thread
   * @param round takes the due samples of all families, puts decisions in force, and returns the
   *     nanoseconds until it is due again; an exception ends tuning
   * @param failed receives the exception that ends tuning
   */
  TunerWorker(Workers workers, String name, Workers.Task round, Consumer<Throwable> failed) {
    this.workers = workers;
    this.name = name;
    this.round = round;
    this.failed = failed;
  }

  /**
   * Requests a round, because a family has an adaptive policy, perhaps the first one. Does not wait
   * for it. Does nothing once tuning has ended.
   */
  synchronized void wake() {
    if (ended) {
      return;
    }
    if (worker == null) {
      worker = workers.start(name, this::step);
    } else {
      worker.wake();
    }
  }

  private long step() {
    long[] rest = {Workers.UNTIL_WOKEN};
    guard(() -> rest[0] = round.step());
    return rest[0];
  }

  /**
   * Runs work of the tuners in the calling thread, unless tuning has ended. An exception of the
   * work ends tuning.
   */
  void guard(Runnable work) {
    if (ended) {
      return;
    }
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      ended = true;
      failed.accept(e);
    }
  }

  /** Returns whether tuning has ended, by {@link #close} or by an exception. */
  boolean ended() {
    return ended;
  }

  /** Waits for the running round; no further one begins. Idempotent. */
  @Override
  public void close() {
    Workers.Worker last;
    synchronized (this) {
      ended = true;
      last = worker;
      worker = null;
    }
    // The lock is not held, since the worker may be about to take it.
    if (last != null) {
      last.close();
    }
  }
}
