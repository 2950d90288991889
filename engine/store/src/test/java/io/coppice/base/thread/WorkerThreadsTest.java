// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkerThreadsTest {

  @Test
  void aThreadOutlivesWhatItsTaskThrows() throws InterruptedException {
    List<Throwable> thrown =
        List.of(
            new OutOfMemoryError("as asked"),
            new StackOverflowError(),
            new IllegalStateException("as asked"));
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(1);
    Workers.Task task =
        () -> {
          int call = calls.getAndIncrement();
          if (call < thrown.size()) {
            throw WorkerThreadsTest.<RuntimeException>unchecked(thrown.get(call));
          }
          done.countDown();
          return Workers.UNTIL_WOKEN;
        };
    Workers.Worker worker = new WorkerThreads().start("as-asked", task);
    try {
      assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      worker.close();
    }
    assertThat(calls).hasValue(thrown.size() + 1);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T unchecked(Throwable problem) throws T {
    throw (T) problem;
  }
}
