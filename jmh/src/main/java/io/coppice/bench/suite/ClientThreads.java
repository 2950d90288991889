// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work on several threads. */
final class ClientThreads {

  private ClientThreads() {}

  /**
   * Runs the work once on each of several threads and returns when all have ended.
   *
   * @throws IllegalStateException if one failed; its failure is the cause
   */
  static void run(int count, Runnable work) throws InterruptedException {
    ExecutorService threads =
        Executors.newFixedThreadPool(count, task -> new Thread(task, "coppice-client"));
    try {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        clients.add(threads.submit(work));
      }
      for (Future<?> client : clients) {
        client.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a client failed: " + e.getCause(), e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }
}
