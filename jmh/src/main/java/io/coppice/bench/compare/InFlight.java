// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Asynchronous sender of statements with a fixed maximum of unanswered ones. One thread sends;
 * answers arrive on the driver's threads.
 */
final class InFlight {

  /**
   * Maximum number of unanswered statements: enough to keep two cores busy, and few enough that a
   * stall of the node soon stops the sender.
   */
  static final int MOST = 32;

  private final CqlSession session;
  private final Semaphore free = new Semaphore(MOST);
  private volatile Throwable failure;

  InFlight(CqlSession session) {
    this.session = session;
  }

  /**
   * Waits until fewer than the maximum are unanswered, then sends a statement. Its failure appears
   * in {@link #drain}.
   *
   * @param answer receives the result, on a thread of the driver, before the statement stops
   *     counting as unanswered; its exception counts as a failure
   */
  void send(BoundStatement statement, Consumer<AsyncResultSet> answer) throws InterruptedException {
    free.acquire();
    BiConsumer<AsyncResultSet, Throwable> done =
        (result, error) -> {
          try {
            if (error != null) {
              throw error;
            }
            answer.accept(result);
          } catch (Throwable e) {
            failure = e;
          } finally {
            free.release();
          }
        };
    session.executeAsync(statement).whenComplete(done);
  }

  /**
   * Waits until every statement is answered.
   *
   * @throws IllegalStateException if one has ever failed; the last failure is the cause
   */
  void drain() throws InterruptedException {
    free.acquire(MOST);
    free.release(MOST);
    if (failure != null) {
      throw new IllegalStateException("a statement failed: " + failure, failure);
    }
  }

  /** Returns whether a statement has failed. */
  boolean hasFailed() {
    return failure != null;
  }
}
