// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.engine.AnswerCheck;
import io.coppice.bench.engine.ProcessFigures;
import io.coppice.bench.engine.ReadSession;
import io.coppice.bench.engine.TestedStore;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.UniformDraws;
import io.coppice.workload.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Threads that each run one operation after another on a store. Every key from 0 to a bound is
 * present, with the value of its number. The clients check the presence of every answer and every
 * sixteenth value byte by byte.
 */
final class Clients implements AutoCloseable {

  private final int keys;
  private final Values values;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /**
   * Seed of the next client. Each client draws different keys, because a hidden cache would
   * otherwise favor later clients.
   */
  private long seed;

  Clients(int keys, Values values, long seed) {
    this.keys = keys;
    this.values = values;
    this.seed = seed;
  }

  /**
   * When clients stop, whichever comes first.
   *
   * @param operations of all clients together, about
   */
  record Until(double seconds, long operations) {
    static Until seconds(double seconds) {
      return new Until(seconds, Long.MAX_VALUE);
    }
  }

  /**
   * Runs clients until they end.
   *
   * @throws WrongAnswerException if one got a wrong answer
   */
  Taken run(TestedStore store, ReadOperation operation, int clients, Until until)
      throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(clients);
    CountDownLatch go = new CountDownLatch(1);
    List<Future<Taken>> all = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      UniformDraws draws = new UniformDraws(seed++, keys);
      long most = Math.max(1, until.operations() / clients);
      all.add(
          threads.submit(
              () -> {
                try (ReadSession session = store.session()) {
                  ready.countDown();
                  go.await();
                  return work(session, operation, draws, until.seconds(), most);
                }
              }));
    }
    ready.await();
    long cpuStart = ProcessFigures.processorTime();
    go.countDown();
    return together(all, cpuStart);
  }

  private static Taken together(List<Future<Taken>> all, long cpuStart)
      throws InterruptedException {
    long operations = 0;
    double seconds = 0;
    Histogram latencies = Taken.histogram();
    for (Future<Taken> one : all) {
      try {
        Taken taken = one.get();
        operations += taken.operations();
        seconds = Math.max(seconds, taken.seconds());
        latencies.add(taken.latencies());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof WrongAnswerException wrong) {
          throw wrong;
        }
        throw new IllegalStateException("a client failed", e.getCause());
      }
    }
    return new Taken(operations, seconds, ProcessFigures.processorTime() - cpuStart, latencies);
  }

  private Taken work(
      ReadSession session, ReadOperation operation, UniformDraws draws, double seconds, long most)
      throws Exception {
    byte[] key = new byte[BenchmarkKeys.BYTES];
    Histogram latencies = Taken.histogram();
    long start = System.nanoTime();
    long end = start + (long) (seconds * 1e9);
    long last = start;
    long done = 0;
    int step = operation.backwards() ? -1 : 1;
    AnswerCheck answers = new AnswerCheck(values, index -> index, AnswerCheck.SIXTEENTH);
    while (last < end && done < most) {
      int index = (int) draws.next();
      boolean missing = operation == ReadOperation.MISS;
      if (missing) {
        BenchmarkKeys.writeMissing(key, index);
      } else {
        BenchmarkKeys.write(key, index);
      }
      if (operation.seeks()) {
        answers.walked(
            session,
            key,
            index,
            operation.steps(),
            operation.backwards(),
            at -> at + step < keys ? at + step : -1);
      } else {
        answers.lookedUp(session, index, missing, session.get(key));
      }
      done++;
      long now = System.nanoTime();
      latencies.recordValue(Math.min(now - last, Taken.MAX_LATENCY_NANOS));
      last = now;
    }
    return new Taken(done, (last - start) / 1e9, 0, latencies);
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
