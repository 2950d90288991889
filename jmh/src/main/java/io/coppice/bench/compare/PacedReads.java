// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import io.coppice.bench.suite.ClientThreads;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

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
  private final Histogram latency = new ConcurrentHistogram(3);
  private final AtomicInteger next = new AtomicInteger();
  private final ClientThreads threads = new ClientThreads();
  private volatile long startNanos;
  private volatile long stopNanos;
  private volatile boolean stopped;
  private List<Future<Void>> clients;

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
  Histogram stop() throws InterruptedException {
    stopNanos = System.nanoTime();
    stopped = true;
    try (threads) {
      ClientThreads.results(clients);
      return latency;
    }
  }

  private Void read() {
    while (true) {
      int number = next.getAndIncrement();
      long due = startNanos + number * periodNanos;
      BoundStatement bound = statement.apply(number);
      for (long wait = due - System.nanoTime(); wait > 0 && !stopped; ) {
        LockSupport.parkNanos(wait);
        wait = due - System.nanoTime();
      }
      if (stopped && due - stopNanos > 0) {
        return null;
      }
      session.execute(bound).all();
      latency.recordValue(Math.max(0, System.nanoTime() - due));
    }
  }
}
