// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.Workers;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The worker of a store by which policies follow the load. It is started with the first family
 * whose policy does, so other stores have none. The first exception ends tuning for good, and
 * nothing else: policies stay as they are. Safe to share between threads.
 */
final class Tuning implements AutoCloseable {

  private final Workers workers;
  private final String name;
  private final Workers.Task round;
  private final Consumer<Throwable> failed;
  private volatile boolean ended;

  // Guarded by this; null until it is needed.
  private Workers.@Nullable Worker worker;

  /**
   * Does nothing yet.
   *
   * @param name for the worker's thread
   * @param round looks at all families: takes the samples that are due, and puts in force what is
   *     decided; it may throw
   * @param failed told of the exception that ends tuning
   */
  Tuning(Workers workers, String name, Workers.Task round, Consumer<Throwable> failed) {
    this.workers = workers;
    this.name = name;
    this.round = round;
    this.failed = failed;
  }

  /** A family has a policy that follows the load, perhaps for the first time: a round is due. */
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

  /** Does something for the tuners, unless tuning has ended; an exception ends it. */
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

  /** True once it was closed or an exception has ended it. */
  boolean ended() {
    return ended;
  }

  /** Returns after the round under way; none begins any more. Idempotent. */
  @Override
  public void close() {
    Workers.Worker last;
    synchronized (this) {
      ended = true;
      last = worker;
      worker = null;
    }
    // Not under the lock, as the worker may be about to take it.
    if (last != null) {
      last.close();
    }
  }
}
