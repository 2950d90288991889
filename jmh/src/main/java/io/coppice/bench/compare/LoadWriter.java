// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeClient;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.bench.node.Overlap;
import io.coppice.bench.node.RecorderMXBean;
import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.Operation;
import io.coppice.bench.workload.Workload;
import java.io.IOException;
import javax.management.JMException;

/**
 * Writes the load and flushes it.
 *
 * <ol>
 *   <li>Statements go out asynchronously while compactions of the previous flush run.
 *   <li>Before a flush, all statements are answered and the node is quiet. Every strategy therefore
 *       decides on the same tables, independent of the machine's speed.
 *   <li>After each flush of the mix, and at rest, it takes a sample; at some flushes it reads rows.
 * </ol>
 */
final class LoadWriter {

  /** Longest wait for a quiet node; a strategy that needs longer counts as never quiet. */
  static final long SETTLE_LIMIT_MILLIS = 30 * 60_000L;

  private static final int STATEMENTS_PER_STEP = 500;

  private final Node node;
  private final LoadShape shape;
  private final ReadMeasurement reader;
  private final boolean reads;
  private final WindowMeter window = new WindowMeter();
  private final DecisionMeter decisions = new DecisionMeter();
  private final StallMeter stalls = new StallMeter(System::nanoTime);
  private long valueBytes;
  private boolean tells;

  /**
   * Prepares a load without sending a statement.
   *
   * @param reads false to write only
   */
  LoadWriter(Node node, LoadShape shape, ReadMeasurement reader, boolean reads) {
    this.node = node;
    this.shape = shape;
    this.reader = reader;
    this.reads = reads;
  }

  /** Runs to the end; returns when the last flush has settled. */
  Figures.Load run(ComparisonProgress progress)
      throws NodeException, InterruptedException, IOException, JMException {
    RecorderMXBean recorder = node.client().recorder();
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
   * Waits until the node is quiet after the previous flush and samples its figures. Later writes
   * stay in memory.
   */
  private void rest(long live) throws NodeException, IOException, JMException {
    settle(node);
    if (window.hasBegun()) {
      RecorderMXBean recorder = node.client().recorder();
      window.rest(recorder.getOverlap().shares(), recorder.getSpace().bytes(), live);
    }
    var told = node.client().strategy(Cql.KEYSPACE, reader.table());
    told.ifPresent(decisions::see);
    tells |= told.isPresent();
  }

  private void write(InFlight inFlight, int flush, long start, ComparisonProgress progress)
      throws InterruptedException {
    RecorderMXBean recorder = node.client().recorder();
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
   * Waits until the node is quiet.
   *
   * @throws NodeException if it does not become so
   */
  static void settle(Node node) throws NodeException {
    String busy = node.client().recorder().settle(SETTLE_LIMIT_MILLIS);
    if (!busy.isEmpty()) {
      throw node.failure("compaction did not come to rest: " + busy, null);
    }
  }

  private Figures.Load figures(double seconds) throws IOException, JMException {
    NodeClient client = node.client();
    RecorderMXBean recorder = client.recorder();
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
        tells ? decisions.figures() : null);
  }
}
