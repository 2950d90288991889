// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import com.google.common.io.Closer;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.ReadSession;
import io.coppice.bench.store.Traffic;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.LatencyHistogram;
import io.coppice.workload.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Client threads of a workload with reads: they look up, seek or scan, with or without a concurrent
 * writer. Used once.
 */
final class Reading {

  private static final int WATCH_MASK = (1 << 10) - 1;

  /** Divisor of the number of keys for the part that {@link Benchmark#READHOT} reads. */
  private static final int HOT_SHARE = 100;

  private static final long PERCENT = 100;

  private final WorkloadRun cell;
  private final BenchOptions options;
  private final Values values;
  private final Expected expected;
  private final Watch watch;
  private final List<Client> clients = new ArrayList<>();
  private final LatencyHistogram writes = new LatencyHistogram();
  private final long start = System.nanoTime();
  private final AtomicInteger readers = new AtomicInteger();
  private int place;
  private volatile boolean ended;

  Reading(WorkloadRun cell, Watch watch) {
    this.cell = cell;
    this.options = cell.options();
    this.values = cell.values();
    this.expected = cell.expected();
    this.watch = watch;
  }

  /**
   * Runs a benchmark with all its clients and waits for them.
   *
   * @param place position of the benchmark in the run; each position reads other keys
   * @throws io.coppice.bench.suite.WrongAnswerException if a client received a wrong answer
   */
  void run(Benchmark benchmark, int place) throws Exception {
    this.place = place;
    try (Closer sessions = Closer.create();
        ClientThreads threads = new ClientThreads()) {
      switch (benchmark) {
        case READSEQ, READREVERSE, READRANDOMWRITERANDOM ->
            clients.add(new Client(0, cell.store().own()));
        default -> {
          for (int i = 0; i < options.traffic().threads(); i++) {
            clients.add(new Client(i, sessions.register(cell.store().session())));
          }
        }
      }
      readers.set(clients.size());
      int writers = benchmark == Benchmark.READWHILEWRITING ? 1 : 0;
      // A session that is closed under a client that still asks may end the process.
      threads.run(
          clients.size() + writers,
          number ->
              number == clients.size()
                  ? this::overwrite
                  : () -> clients.get(number).workOrEndAll(benchmark));
    }
  }

  long done() {
    return clients.stream().mapToLong(client -> client.done).sum();
  }

  long found() {
    return clients.stream().mapToLong(client -> client.answers.found()).sum();
  }

  long compared() {
    return clients.stream().mapToLong(client -> client.answers.compared()).sum();
  }

  LatencyHistogram latencies() {
    LatencyHistogram all = new LatencyHistogram();
    clients.forEach(client -> all.add(client.latencies));
    return all;
  }

  LatencyHistogram writeLatencies() {
    return writes;
  }

  /** Overwrites present keys until the readers have ended. */
  private Void overwrite() throws Exception {
    KeyDraws draws = KeyDraws.of(options.traffic(), options.entries(), options.seed() + 1);
    Pace pace = new Pace(Writing.perSecond(options.traffic().besideReaders(), options));
    byte[] key = new byte[BenchmarkKeys.BYTES];
    int write = cell.writesBefore();
    while (!ended) {
      pace.next();
      write = overwriteOne(draws.next(), key, write);
    }
    return null;
  }

  private int overwriteOne(int drawn, byte[] key, int write) throws Exception {
    int next = expected.nextPresent(drawn);
    int index = next < 0 ? expected.nextPresent(0) : next;
    if (index < 0) {
      return write;
    }
    BenchmarkKeys.write(key, index);
    long began = System.nanoTime();
    cell.store().put(key, values.pool(), values.position(write), values.length());
    long nanos = System.nanoTime() - began;
    expected.written(index, write);
    writes.record(nanos);
    watch.wrote(nanos);
    return write + 1;
  }

  /** A reader with a thread of its own. */
  private final class Client {
    private final int number;
    private final ReadSession session;
    private final LatencyHistogram latencies = new LatencyHistogram();
    private final byte[] key = new byte[BenchmarkKeys.BYTES];
    private AnswerCheck answers;
    private long done;
    private long last;

    Client(int number, ReadSession session) {
      this.number = number;
      this.session = session;
    }

    /**
     * Runs the benchmark in this client. A client that fails ends the others, and so does the last
     * one to finish.
     */
    Void workOrEndAll(Benchmark benchmark) throws Exception {
      boolean failed = true;
      try {
        work(benchmark);
        failed = false;
        return null;
      } finally {
        if (readers.decrementAndGet() == 0 || failed) {
          ended = true;
        }
      }
    }

    private void work(Benchmark benchmark) throws Exception {
      answers =
          new AnswerCheck(
              values,
              expected::lastWrite,
              benchmark == Benchmark.READWHILEWRITING ? AnswerCheck.NONE : AnswerCheck.SIXTEENTH);
      last = System.nanoTime();
      switch (benchmark) {
        case READSEQ -> scan(true);
        case READREVERSE -> scan(false);
        case SEEKRANDOM -> seek();
        case READRANDOMWRITERANDOM -> mix();
        default -> lookUp(benchmark);
      }
    }

    private KeyDraws draws(int count) {
      long seed = ~options.seed() + ((long) number << 32) + ((long) place << 48);
      return KeyDraws.of(options.traffic(), count, seed);
    }

    /**
     * Returns whether the client continues: operations and seconds remain, and no client has
     * failed.
     */
    private boolean goesOn(long most) {
      if (ended) {
        return false;
      }
      double seconds = options.traffic().readSeconds();
      return seconds > 0
          ? done == 0 || last - start < seconds * TimeUnit.SECONDS.toNanos(1)
          : done < Math.max(1, most / clients.size());
    }

    private void took() {
      long now = System.nanoTime();
      long nanos = now - last;
      latencies.record(nanos);
      watch.read(nanos);
      step(now);
    }

    private void step(long now) {
      last = now;
      if ((done++ & WATCH_MASK) == 0 && number == 0) {
        double seconds = options.traffic().readSeconds();
        if (seconds > 0) {
          cell.watcher().at((now - start) / 1_000_000, (long) (seconds * 1e3));
        } else {
          cell.watcher().at(done, Math.max(1, options.reads() / clients.size()));
        }
      }
    }

    private void lookUp(Benchmark benchmark) throws Exception {
      boolean missing = benchmark == Benchmark.READMISSING;
      int among =
          benchmark == Benchmark.READHOT
              ? Math.max(1, options.entries() / HOT_SHARE)
              : options.entries();
      KeyDraws draws = draws(among);
      while (goesOn(options.reads())) {
        int index = draws.next() * (options.entries() / among);
        if (missing) {
          BenchmarkKeys.writeMissing(key, index);
        } else {
          BenchmarkKeys.write(key, index);
        }
        answers.lookedUp(session, index, missing, session.get(key));
        took();
      }
    }

    private void seek() throws Exception {
      KeyDraws draws = draws(options.entries());
      int nexts = options.traffic().seekNexts();
      while (goesOn(Math.max(1, options.reads() / Math.max(1, nexts)))) {
        int index = draws.next();
        BenchmarkKeys.write(key, index);
        answers.walked(
            session,
            key,
            expected.nextPresent(index),
            nexts,
            false,
            at -> expected.nextPresent(at + 1));
        took();
      }
    }

    private void scan(boolean forward) throws Exception {
      int from = options.entries() - 1;
      try (ReadSession.Scan scan = session.scan()) {
        if (forward) {
          scan.first();
        } else {
          scan.last();
        }
        int at = forward ? expected.nextPresent(0) : expected.previousPresent(from);
        while (at >= 0) {
          answers.standsAt(scan, at);
          if (forward) {
            scan.next();
            at = expected.nextPresent(at + 1);
          } else {
            scan.previous();
            at = expected.previousPresent(at - 1);
          }
          if ((done++ & WATCH_MASK) == 0) {
            cell.watcher().at(done, options.entries());
          }
        }
        answers.standsAt(scan, -1);
      }
    }

    private void mix() throws Exception {
      KeyDraws draws = draws(options.entries());
      KeyDraws dice =
          KeyDraws.of(Traffic.PLAIN, (int) PERCENT, options.seed() + cell.writesBefore());
      int write = cell.writesBefore();
      while (goesOn(options.reads())) {
        int index = draws.next();
        last = System.nanoTime();
        if (dice.next() < options.traffic().readPercent()) {
          BenchmarkKeys.write(key, index);
          answers.lookedUp(session, index, false, session.get(key));
          took();
        } else {
          write = overwriteOne(index, key, write);
          step(System.nanoTime());
        }
      }
    }
  }
}
