// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.workload.LatencyHistogram;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Reads at a fixed rate, independent of the node's load. The latency of a read counts from its due
 * time, so it includes the wait for earlier reads. Started once and stopped once; it owns its
 * threads.
 */
final class PacedReads {

  private static final int CLIENTS = 4;

  private final CqlSession session;
  private final IntFunction<BoundStatement> statement;
  private final long periodNanos;
  private final AtomicInteger next = new AtomicInteger();
  private final ClientThreads threads = new ClientThreads();
  private volatile long startNanos;
  private volatile long stopNanos;
  private volatile boolean stopped;
  private List<Future<LatencyHistogram>> clients;

  /**
   * Creates reads that {@link #started} begins.
   *
   * @param statement returns the statement of the read with a number, from 0
   * @param perSecond reads per second of all clients together
   */
  PacedReads(CqlSession session, IntFunction<BoundStatement> statement, int perSecond) {
    this.session = session;
    this.statement = statement;
    this.periodNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
  }

  /** Starts the threads and returns this object. */
  PacedReads started() {
    startNanos = System.nanoTime();
    clients = threads.start(CLIENTS, client -> this::read);
    return this;
  }

  /**
   * Stops and returns the latencies, in nanoseconds, of all reads that were due, once they are
   * answered.
   *
   * @throws IllegalStateException if one failed; its failure is the cause
   */
  LatencyHistogram stop() throws InterruptedException {
    stopNanos = System.nanoTime();
    stopped = true;
    try (threads) {
      LatencyHistogram all = new LatencyHistogram();
      ClientThreads.results(clients).forEach(all::add);
      return all;
    }
  }

  private LatencyHistogram read() {
    LatencyHistogram latencies = new LatencyHistogram();
    while (true) {
      int number = next.getAndIncrement();
      long due = startNanos + number * periodNanos;
      BoundStatement bound = statement.apply(number);
      for (long wait = due - System.nanoTime(); wait > 0 && !stopped; ) {
        LockSupport.parkNanos(wait);
        wait = due - System.nanoTime();
      }
      if (stopped && due - stopNanos > 0) {
        return latencies;
      }
      session.execute(bound).all();
      latencies.record(System.nanoTime() - due);
    }
  }
}
