// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import com.google.common.util.concurrent.Uninterruptibles;
import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreStats;
import io.coppice.base.StalledException;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.LatencyHistogram;
import io.coppice.workload.UniformDraws;
import io.coppice.workload.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * One run of a benchmark with threads of its own. Each thread executes all operations of the
 * benchmark with its own random numbers. Used once.
 */
final class BenchRun {

  /** Mask that selects the operations that update the progress: every 128th. */
  private static final int COUNT_MASK = (1 << 7) - 1;

  private final Store store;
  private final Family family;
  private final BenchLoad load;
  private final Values values;
  private final BenchWord word;
  private final int place;

  private final LongAdder done = new LongAdder();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stop;

  /**
   * Prepares a run of one benchmark.
   *
   * @param values the values to write
   * @param place the position of this benchmark in the list, which determines its random numbers
   */
  BenchRun(Store store, Family family, BenchLoad load, Values values, BenchWord word, int place) {
    this.store = store;
    this.family = family;
    this.load = load;
    this.values = values;
    this.word = word;
    this.place = place;
  }

  /** Returns the completed share of the run, from 0 to 1. Called by any thread. */
  double share() {
    return (double) done.sum() / Math.max(1, load.threads() * load.operations(word));
  }

  /**
   * Runs the benchmark, waits for its threads and returns its result. An error of a thread ends the
   * others and is thrown.
   *
   * @throws StalledException if the wait is interrupted
   */
  BenchResult run() {
    StoreStats before = store.stats();
    long start = System.nanoTime();
    List<Worker> workers = new ArrayList<>();
    int threads = word.whole() ? 1 : load.threads();
    for (int i = 0; i < threads; i++) {
      workers.add(new Worker(i, word));
    }
    Worker beside =
        word == BenchWord.READWHILEWRITING ? new Worker(threads, BenchWord.OVERWRITE) : null;
    try {
      if (beside != null) {
        beside.thread.start();
      }
      workers.forEach(worker -> worker.thread.start());
      for (Worker worker : workers) {
        worker.thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StalledException("the benchmark was interrupted", e);
    } finally {
      stop = true;
      workers.forEach(worker -> Uninterruptibles.joinUninterruptibly(worker.thread));
      if (beside != null) {
        Uninterruptibles.joinUninterruptibly(beside.thread);
      }
    }
    final long elapsed = System.nanoTime() - start;
    if (failure.get() instanceof RuntimeException e) {
      throw e;
    }
    if (failure.get() instanceof Error e) {
      throw e;
    }
    LatencyHistogram latencies = new LatencyHistogram();
    long bytes = 0;
    long found = 0;
    for (Worker worker : workers) {
      latencies.add(worker.latencies);
      bytes += worker.bytes;
      found += worker.found;
    }
    boolean countsHits =
        word == BenchWord.READRANDOM
            || word == BenchWord.READWHILEWRITING
            || word == BenchWord.SEEKRANDOM;
    return new BenchResult(
        word,
        load,
        latencies,
        elapsed,
        bytes,
        countsHits ? found : -1,
        beside == null ? -1 : beside.latencies.count(),
        before,
        store.stats());
  }

  /** One thread of the run. Its results are read after it has ended. */
  private final class Worker {

    private final Thread thread;
    private final BenchWord does;
    private final long operations;
    private final long firstWrite;
    private final UniformDraws draws;
    private final LatencyHistogram latencies = new LatencyHistogram();
    private final byte[] key = new byte[BenchmarkKeys.BYTES];
    private final byte[] value = new byte[load.valueBytes()];
    private long bytes;
    private long found;

    Worker(int number, BenchWord does) {
      this.does = does;
      // The additional writer continues until the other threads have ended.
      this.operations = does == word ? load.operations(does) : Long.MAX_VALUE;
      long stream = (long) place * (load.threads() + 1) + number;
      this.firstWrite = stream * load.keys();
      this.draws = new UniformDraws(load.seed() + stream, load.keys());
      this.thread = new Thread(this::work, "bench-" + number);
    }

    private void work() {
      try {
        switch (does) {
          case READSEQ, READREVERSE -> walk();
          case COMPACT -> timed(family::compact);
          case WAITFORCOMPACTION ->
              timed(
                  () -> {
                    store.flush();
                    store.awaitIdle();
                  });
          default -> loop();
        }
      } catch (RuntimeException | Error e) {
        failure.compareAndSet(null, e);
        stop = true;
      }
    }

    private void timed(Runnable operation) {
      long start = System.nanoTime();
      operation.run();
      latencies.record(System.nanoTime() - start);
    }

    private void loop() {
      long last = System.nanoTime();
      for (long i = 0; i < operations && !stop; i++) {
        BenchmarkKeys.write(key, does == BenchWord.FILLSEQ ? i : draws.next());
        operation(i);
        last = counted(last, i);
      }
    }

    private void operation(long i) {
      switch (does) {
        case READRANDOM, READWHILEWRITING -> {
          byte[] answer = family.get(key);
          if (answer != null) {
            found++;
            bytes += key.length + answer.length;
          }
        }
        case SEEKRANDOM -> seek();
        case DELETERANDOM -> family.delete(key);
        default -> {
          int from = values.position(firstWrite + i);
          System.arraycopy(values.pool(), from, value, 0, value.length);
          family.put(key, value);
          bytes += key.length + value.length;
        }
      }
    }

    private void seek() {
      try (Cursor cursor = family.cursor(KeyRange.all())) {
        cursor.seek(key);
        if (cursor.valid()) {
          byte[] at = cursor.key();
          bytes += at.length + cursor.value().length;
          found += Arrays.equals(at, key) ? 1 : 0;
        }
      }
    }

    private void walk() {
      boolean reverse = does == BenchWord.READREVERSE;
      long last = System.nanoTime();
      try (Cursor cursor = family.cursor(KeyRange.all())) {
        if (reverse) {
          cursor.last();
        } else {
          cursor.first();
        }
        for (long i = 0; i < operations && cursor.valid() && !stop; i++) {
          bytes += cursor.keyView().remaining() + cursor.valueView().remaining();
          if (reverse) {
            cursor.prev();
          } else {
            cursor.next();
          }
          last = counted(last, i);
        }
      }
    }

    /**
     * Records the latency of an operation, and returns the present time in nanoseconds.
     *
     * @param since when the operation began, in nanoseconds
     * @param i the index of the operation, from 0
     */
    private long counted(long since, long i) {
      long now = System.nanoTime();
      latencies.record(now - since);
      if ((i & COUNT_MASK) == COUNT_MASK && does == word) {
        done.add(COUNT_MASK + 1);
      }
      return now;
    }
  }
}
