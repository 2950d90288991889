// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.engine.AnswerCheck;
import io.coppice.bench.store.ProcessFigures;
import io.coppice.bench.store.ReadSession;
import io.coppice.bench.store.TestedStore;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.LatencyHistogram;
import io.coppice.workload.UniformDraws;
import io.coppice.workload.Values;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

/**
 * Client threads that each execute one operation after another on a store. The store has every key
 * from 0 up to a bound, with the value of the key's number. The clients check the presence of every
 * answer, and every sixteenth value byte by byte.
 */
final class Clients implements AutoCloseable {

  private final int keys;
  private final Values values;
  private final ClientThreads threads = new ClientThreads();

  /**
   * Seed of the next client. Each client draws different keys, because a cache would otherwise
   * favor later clients.
   */
  private long seed;

  Clients(int keys, Values values, long seed) {
    this.keys = keys;
    this.values = values;
    this.seed = seed;
  }

  /**
   * Conditions that end clients, whichever comes first.
   *
   * @param operations approximate number of operations of all clients together
   */
  record Until(double seconds, long operations) {
    static Until seconds(double seconds) {
      return new Until(seconds, Long.MAX_VALUE);
    }
  }

  /**
   * Result of some clients over a period. A value.
   *
   * @param operations number of operations of all clients
   * @param seconds duration of the period
   * @param cpuNanos processor time of the whole process in the period
   * @param latencies latencies of single operations, in nanoseconds
   */
  record Taken(long operations, double seconds, long cpuNanos, LatencyHistogram latencies) {

    static final Taken NOTHING = new Taken(0, 0, 0, new LatencyHistogram());

    private static final double NANOS_PER_MICRO = 1e3;

    /** Returns the combined result of this period and a later one. */
    Taken and(Taken later) {
      LatencyHistogram both = new LatencyHistogram();
      both.add(latencies);
      both.add(later.latencies);
      return new Taken(
          operations + later.operations, seconds + later.seconds, cpuNanos + later.cpuNanos, both);
    }

    double rate() {
      return operations / seconds;
    }

    double micros(double share) {
      return latencies.nanosAt(share) / NANOS_PER_MICRO;
    }

    /** Returns the figures in the form that {@link Samples} reads. */
    String text() {
      return String.format(
          Locale.ROOT,
          "rate=%.3f p50=%.3f p99=%.3f cpu=%.3f",
          rate(),
          micros(0.5),
          micros(0.99),
          cpuNanos / NANOS_PER_MICRO / operations);
    }
  }

  /**
   * Runs clients and waits until they end.
   *
   * @throws WrongAnswerException if one received a wrong answer
   */
  Taken run(TestedStore store, ReadOperation operation, int clients, Until until)
      throws InterruptedException {
    long most = Math.max(1, until.operations() / clients);
    AtomicLong cpuStart = new AtomicLong();
    CyclicBarrier ready =
        new CyclicBarrier(clients, () -> cpuStart.set(ProcessFigures.processorTime()));
    IntFunction<Callable<Taken>> client =
        number -> {
          UniformDraws draws = new UniformDraws(seed++, keys);
          return () -> {
            try (ReadSession session = store.session()) {
              ready.await();
              return work(session, operation, draws, until.seconds(), most);
            }
          };
        };
    long operations = 0;
    double seconds = 0;
    LatencyHistogram latencies = new LatencyHistogram();
    for (Taken taken : threads.run(clients, client)) {
      operations += taken.operations();
      seconds = Math.max(seconds, taken.seconds());
      latencies.add(taken.latencies());
    }
    long cpuNanos = ProcessFigures.processorTime() - cpuStart.get();
    return new Taken(operations, seconds, cpuNanos, latencies);
  }

  private Taken work(
      ReadSession session, ReadOperation operation, UniformDraws draws, double seconds, long most)
      throws Exception {
    byte[] key = new byte[BenchmarkKeys.BYTES];
    LatencyHistogram latencies = new LatencyHistogram();
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
      latencies.record(now - last);
      last = now;
    }
    return new Taken(done, (last - start) / 1e9, 0, latencies);
  }

  @Override
  public void close() {
    threads.close();
  }
}
