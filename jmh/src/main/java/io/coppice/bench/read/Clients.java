// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

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

  private static final int VALUE_CHECK_MASK = 15;

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
    while (last < end && done < most) {
      int index = (int) draws.next();
      boolean compare = (done & VALUE_CHECK_MASK) == 0;
      if (operation.seeks()) {
        BenchmarkKeys.write(key, index);
        seek(session, key, index, operation, compare);
      } else if (operation == ReadOperation.MISS) {
        BenchmarkKeys.writeMissing(key, index);
        if (session.get(key) >= 0) {
          throw new WrongAnswerException("a key behind " + index + ", never written, was found");
        }
      } else {
        BenchmarkKeys.write(key, index);
        check(session, index, session.get(key), compare);
      }
      done++;
      long now = System.nanoTime();
      latencies.recordValue(Math.min(now - last, Taken.MAX_LATENCY_NANOS));
      last = now;
    }
    return new Taken(done, (last - start) / 1e9, 0, latencies);
  }

  private void check(ReadSession session, int index, int length, boolean compare) {
    if (length != values.length()) {
      throw new WrongAnswerException(
          "key "
              + index
              + (length < 0 ? " was not found" : " has a value of " + length + " bytes"));
    }
    if (compare && !session.found(values.pool(), values.position(index), length)) {
      throw new WrongAnswerException("key " + index + " has another value");
    }
  }

  /** Looks at each key it comes past, and at the values of some seeks. */
  private void seek(
      ReadSession session, byte[] key, int index, ReadOperation operation, boolean compare)
      throws Exception {
    int step = operation.backwards() ? -1 : 1;
    try (ReadSession.Scan scan = session.scan()) {
      scan.seek(key);
      checkAt(scan, index, compare);
      int at = index;
      for (int i = 0; i < operation.steps() && at >= 0 && at < keys; i++) {
        at += step;
        if (operation.backwards()) {
          scan.previous();
        } else {
          scan.next();
        }
        checkAt(scan, at, compare);
      }
    }
  }

  private void checkAt(ReadSession.Scan scan, int index, boolean compare) {
    if (index < 0 || index >= keys) {
      if (scan.valid()) {
        throw new WrongAnswerException("a scan goes on behind the last key or before the first");
      }
      return;
    }
    long at = scan.valid() ? scan.index() : -1;
    if (at != index) {
      throw new WrongAnswerException("a scan stands on key " + at + " instead of " + index);
    }
    if (compare && !scan.found(values.pool(), values.position(index), values.length())) {
      throw new WrongAnswerException("a scan finds another value at key " + index);
    }
  }

  /** Ends the threads, which are idle. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
