// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Threads of clients that work at the same time, each on its own. Later clients reuse threads. */
public final class ClientThreads implements AutoCloseable {

  private final ExecutorService threads =
      Executors.newCachedThreadPool(task -> new Thread(task, "coppice-client"));

  /** Returns a timer with one thread of this name, which does not keep the JVM alive. */
  public static ScheduledExecutorService timer(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        new ThreadFactoryBuilder().setNameFormat(name).setDaemon(true).build());
  }

  /**
   * Starts clients and returns at once.
   *
   * @param client makes the client with each number, from 0
   */
  public <T> List<Future<T>> start(int count, IntFunction<Callable<T>> client) {
    return IntStream.range(0, count).mapToObj(client).map(threads::submit).toList();
  }

  /**
   * Waits until all clients have ended, even after a failure, and returns their results in order.
   *
   * @throws WrongAnswerException if the first failure is one
   * @throws IllegalStateException with any other first failure as its cause
   */
  public static <T> List<T> results(List<Future<T>> clients) throws InterruptedException {
    List<T> results = new ArrayList<>();
    Throwable failure = null;
    for (Future<T> client : clients) {
      try {
        results.add(client.get());
      } catch (ExecutionException e) {
        failure = failure == null ? e.getCause() : failure;
      }
    }
    if (failure != null) {
      Throwables.throwIfInstanceOf(failure, WrongAnswerException.class);
      throw new IllegalStateException("a client failed: " + failure, failure);
    }
    return results;
  }

  /** Starts clients and returns their {@link #results}. */
  public <T> List<T> run(int count, IntFunction<Callable<T>> client) throws InterruptedException {
    return results(start(count, client));
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
