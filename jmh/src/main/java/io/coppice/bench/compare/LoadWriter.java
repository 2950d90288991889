// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeClient;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.bench.compare.report.ComparisonProgress;
import io.coppice.bench.compare.report.Figures;
import io.coppice.bench.node.Overlap;
import io.coppice.bench.node.RecorderMXBean;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Operation;
import io.coppice.bench.workload.Workload;
import java.io.IOException;
import javax.management.JMException;

/**
 * Writer of a run's load, with its flushes.
 *
 * <ol>
 *   <li>It sends statements asynchronously while compactions of the previous flush run.
 *   <li>Before a flush it waits until all statements are answered and no compaction runs or is
 *       pending. The speed of the machine therefore does not change the decisions of a strategy.
 *   <li>After each flush of the mix, the part after the ordered inserts, it takes a sample once
 *       compactions have ended; at some flushes it also reads rows.
 * </ol>
 */
final class LoadWriter {

  /**
   * Longest wait in milliseconds until no compaction runs or is pending; a strategy that needs
   * longer fails its run.
   */
  static final long SETTLE_LIMIT_MILLIS = 30 * 60_000L;

  private static final int STATEMENTS_PER_STEP = 500;

  private final Node node;
  private final RecorderMXBean recorder;
  private final LoadShape shape;
  private final ReadMeasurement reader;
  private final boolean reads;
  private final WindowMeter window = new WindowMeter();
  private final DecisionMeter decisions = new DecisionMeter();
  private final StallMeter stalls = new StallMeter(System::nanoTime);
  private long valueBytes;
  private boolean reports;

  /**
   * Prepares a load without sending a statement.
   *
   * @param reads whether to read rows at some flushes
   */
  LoadWriter(Node node, LoadShape shape, ReadMeasurement reader, boolean reads) {
    this.node = node;
    this.recorder = node.client().recorder();
    this.shape = shape;
    this.reader = reader;
    this.reads = reads;
  }

  /**
   * Writes the whole load, and returns its figures once the compactions after the last flush have
   * ended.
   *
   * @throws NodeException if compactions do not end within {@link #SETTLE_LIMIT_MILLIS}
   * @throws IllegalStateException if a statement failed
   */
  Figures.Load run(ComparisonProgress progress)
      throws NodeException, InterruptedException, IOException, JMException {
    InFlight inFlight = new InFlight(reader.cql().session());
    long start = System.nanoTime();
    long live = 0;
    for (int flush = 0; flush < shape.flushes(); flush++) {
      write(inFlight, flush, start, progress);
      rest(live);
      if (flush == shape.bulkFlushes()) {
        RecorderMXBean.Changes before = recorder.getChanges();
        window.begin(before.flushedBytes(), before.rewrittenBytes(), live);
        recorder.startSpace(live);
      }
      node.client().flush(Cql.KEYSPACE, reader.table());
      live = reader.workload().liveBytes();
      recorder.liveBytes(live);
      if (reads && window.hasBegun() && reader.isDue(flush - shape.bulkFlushes() + 1)) {
        settle(node);
        window.hits(reader.sample(flush));
      }
    }
    rest(live);
    return figures((System.nanoTime() - start) / 1e9);
  }

  /**
   * Waits until no compaction runs or is pending after the previous flush, then takes a sample.
   * Writes sent during the wait stay in the memtable.
   *
   * @param live bytes of the rows alive
   */
  private void rest(long live) throws NodeException, IOException, JMException {
    settle(node);
    if (window.hasBegun()) {
      window.rest(recorder.getOverlap().shares(), recorder.getSpace().bytes(), live);
    }
    var status = node.client().strategy(Cql.KEYSPACE, reader.table());
    status.ifPresent(decisions::see);
    reports |= status.isPresent();
  }

  private void write(InFlight inFlight, int flush, long start, ComparisonProgress progress)
      throws InterruptedException {
    for (int i = 0; i < shape.operationsPerFlush() && !inFlight.hasFailed(); i++) {
      if (i % STATEMENTS_PER_STEP == 0) {
        double flushes = flush + (double) i / shape.operationsPerFlush();
        double seconds = (System.nanoTime() - start) / 1e9;
        RecorderMXBean.Running running = recorder.getRunning();
        progress.advance(
            flushes / shape.flushes(),
            "%.1f/%d flushes  %.1f MB/s  compacting %d (%d MB left)"
                .formatted(
                    flushes,
                    shape.flushes(),
                    valueBytes / 1e6 / Math.max(seconds, 0.001),
                    running.compactions(),
                    running.bytes() / 1_000_000));
      }
      Operation operation = reader.workload().next();
      byte[] value = operation.kind().writes() ? reader.workload().value(operation) : null;
      valueBytes += value == null ? 0 : value.length;
      long begun = stalls.begin();
      inFlight.send(reader.cql().bind(operation, value), answer -> stalls.end(begun));
    }
    inFlight.drain();
  }

  /**
   * Waits until no compaction runs or is pending on the node.
   *
   * @throws NodeException if that takes longer than the limit
   */
  static void settle(Node node) throws NodeException {
    String busy = node.client().recorder().settle(SETTLE_LIMIT_MILLIS);
    if (!busy.isEmpty()) {
      throw node.failure("compaction did not come to rest: " + busy, null);
    }
  }

  private Figures.Load figures(double seconds) throws IOException, JMException {
    NodeClient client = node.client();
    RecorderMXBean.Changes done = recorder.getChanges();
    Overlap overlap = recorder.getOverlap();
    Workload workload = reader.workload();
    return new Figures.Load(
        shape.operations(),
        workload.liveRows(),
        workload.liveBytes(),
        seconds,
        new Figures.Bytes(
            done.flushedBytes(),
            done.rewrittenBytes(),
            client.counter(Cql.KEYSPACE, reader.table(), "BytesFlushed"),
            client.counter(Cql.KEYSPACE, reader.table(), "CompactionBytesWritten"),
            recorder.getUnannouncedBytes()),
        new Figures.Work(
            shape.flushes(), done.flushes(), done.rewrites(), done.moves(), done.drops()),
        new Figures.Structure(recorder.getTables(), overlap.mean(), overlap.max()),
        recorder.getSpace().peakRatio(),
        stalls.stalls(),
        window.end(done.flushedBytes(), done.rewrittenBytes(), workload.liveBytes()),
        reports ? decisions.figures() : null);
  }
}
