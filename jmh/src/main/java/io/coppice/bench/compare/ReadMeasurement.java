// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import io.coppice.bench.cassandra.NodeClient;
import io.coppice.bench.compare.report.ComparisonProgress;
import io.coppice.bench.compare.report.Figures;
import io.coppice.bench.compare.report.Scale;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Mix;
import io.coppice.bench.workload.RowState;
import io.coppice.bench.workload.Workload;
import io.coppice.workload.LatencyHistogram;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import javax.management.JMException;

/**
 * Reads of one run. During the load it makes point reads of live rows at some flushes. After the
 * load it makes point reads of live rows and of keys never written, and scans of ten partitions.
 * Two clients each make one read after another. The increase of Cassandra's histograms gives the
 * SSTables read.
 */
record ReadMeasurement(
    NodeClient client, Cql cql, String table, Scale.ReadShape reads, long seed, Workload workload) {

  private static final int CLIENTS = 2;
  private static final int SCAN_PARTITIONS = 10;
  private static final int READS_PER_STEP = 500;

  /**
   * Number of the first sampled read during the load; a read's number determines its row. Reads
   * after the load have smaller numbers.
   */
  private static final int FIRST_SAMPLE = 1 << 24;

  /** Number of the first read at a fixed rate; a read's number determines its row. */
  private static final int FIRST_PACED = 1 << 30;

  private static final String POINTS = "SSTablesPerReadHistogram";
  private static final String RANGES = "SSTablesPerRangeReadHistogram";

  /** Returns whether {@link #sample} is due after a flush of the mix, counted from one. */
  boolean isDue(int flush) {
    return flush % reads.everyFlushes() == 0;
  }

  /**
   * Makes a small sample of point reads of live rows, waits for the answers, and returns the mean
   * number of SSTables per read. Each flush has a sample of its own.
   *
   * @param flush number of the flush, which determines the rows
   */
  double sample(int flush) throws InterruptedException, IOException, JMException {
    long[] before = client.histogram(Cql.KEYSPACE, table, POINTS);
    int from = FIRST_SAMPLE + flush * reads.duringLoad();
    perform(from, from + reads.duringLoad(), this::hit, share -> {});
    return Buckets.mean(before, client.histogram(Cql.KEYSPACE, table, POINTS));
  }

  /**
   * Performs the measured reads after the load, after a warm-up, and returns their figures.
   *
   * @throws IOException if the node does not answer over JMX
   */
  Figures.Reads run(ComparisonProgress progress)
      throws InterruptedException, IOException, JMException {
    warmUp();
    perform(-reads.warmUp() / 10, 0, this::scan, share -> {});

    LatencyHistogram latencies = new LatencyHistogram();
    LatencyHistogram unused = new LatencyHistogram();
    double hit = measured(POINTS, reads.points(), this::hit, latencies, progress, 0.1);
    double miss = measured(POINTS, reads.points(), this::miss, unused, progress, 0.4);
    double scan = measured(RANGES, reads.scans(), this::scan, unused, progress, 0.7);
    return new Figures.Reads(
        hit, miss, scan, latencies.nanosAt(0.5) / 1e3, latencies.nanosAt(0.99) / 1e3);
  }

  /**
   * Performs unmeasured reads, so that the code is compiled and caches are filled before the
   * measured ones.
   */
  void warmUp() throws InterruptedException {
    perform(-reads.warmUp(), 0, this::hit, share -> {});
  }

  /** Starts point reads of live rows at a fixed rate; the caller stops them. */
  PacedReads paced() {
    return new PacedReads(
            cql.session(), number -> hit(FIRST_PACED + number), reads.perSecondInMajor())
        .started();
  }

  private double measured(
      String histogram,
      int reads,
      IntFunction<BoundStatement> statement,
      LatencyHistogram latencies,
      ComparisonProgress progress,
      double share)
      throws InterruptedException, IOException, JMException {
    long[] before = client.histogram(Cql.KEYSPACE, table, histogram);
    latencies.add(
        perform(
            0,
            reads,
            statement,
            done -> progress.advance(share + 0.3 * done / reads, "%d reads".formatted(done))));
    return Buckets.mean(before, client.histogram(Cql.KEYSPACE, table, histogram));
  }

  /** Performs the reads numbered from (inclusive) to (exclusive) and returns their latencies. */
  private LatencyHistogram perform(
      int from, int to, IntFunction<BoundStatement> statement, IntConsumer progress)
      throws InterruptedException {
    AtomicInteger next = new AtomicInteger(from);
    Callable<LatencyHistogram> client =
        () -> {
          LatencyHistogram latencies = new LatencyHistogram();
          for (int i = next.getAndIncrement(); i < to; i = next.getAndIncrement()) {
            BoundStatement bound = statement.apply(i);
            long start = System.nanoTime();
            cql.session().execute(bound).all();
            latencies.record(System.nanoTime() - start);
            if ((i - from) % READS_PER_STEP == 0) {
              progress.accept(i - from);
            }
          }
          return latencies;
        };
    try (ClientThreads threads = new ClientThreads()) {
      LatencyHistogram all = new LatencyHistogram();
      threads.run(CLIENTS, number -> client).forEach(all::add);
      return all;
    }
  }

  private BoundStatement hit(int number) {
    for (int draw = 0; ; draw++) {
      long row =
          Mix.below(
              workload.partitions() * LoadShape.ROWS_PER_PARTITION, Mix.of(seed + 4, number), draw);
      long partition = row / LoadShape.ROWS_PER_PARTITION;
      int clustering = (int) (row % LoadShape.ROWS_PER_PARTITION);
      if (workload.expectation().state(partition, clustering) == RowState.LIVE) {
        return cql.row(partition, clustering);
      }
    }
  }

  private BoundStatement miss(int number) {
    long partition = Workload.NEVER_WRITTEN + Mix.below(Workload.NEVER_WRITTEN, seed + 5, number);
    return cql.row(partition, 0);
  }

  /** Returns a scan of a token range that holds ten partitions on average. */
  private BoundStatement scan(int number) {
    long width = (long) (Math.pow(2, 64) / (workload.partitions() + 1.0) * SCAN_PARTITIONS);
    long first = Mix.of(seed + 6, number);
    long last = first > Long.MAX_VALUE - width ? Long.MAX_VALUE : first + width;
    return cql.range(first, last);
  }
}
