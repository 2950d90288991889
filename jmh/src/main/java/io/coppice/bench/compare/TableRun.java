// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.bench.compare.report.CompareOptions;
import io.coppice.bench.compare.report.ComparisonProgress;
import io.coppice.bench.compare.report.Contender;
import io.coppice.bench.compare.report.Figures;
import io.coppice.bench.compare.report.PhaseClock;
import io.coppice.bench.compare.report.RunResult;
import io.coppice.bench.compare.report.Scale;
import io.coppice.bench.node.RecorderMXBean;
import io.coppice.bench.workload.Expectation;
import io.coppice.bench.workload.Workload;
import io.coppice.workload.LatencyHistogram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.management.JMException;

/**
 * Part of a comparison that concerns one strategy, on a serving node. It creates the table, loads,
 * checks, reads, compacts, checks again, restarts, and checks once more. A run about major
 * compactions only loads, compacts and checks. It keeps measurements before a failure, so {@link
 * #result} always has an answer. Used by one thread.
 */
final class TableRun {

  private final Contender contender;
  private final CompareOptions options;
  private final Scale scale;
  private final int repeat;
  private final String table;
  private final UnaryOperator<Expectation> belief;
  private final ComparisonProgress progress;
  private final Workload workload;
  private final long start = System.nanoTime();
  private final PhaseClock clock = new PhaseClock();

  private String strategyClass;
  private String cassandra = "";
  private Figures.Load load;
  private Figures.Reads reads;
  private Figures.Major major;
  private final List<Figures.Check> checks = new ArrayList<>();
  private String failure;

  /**
   * Prepares a run without sending a statement.
   *
   * @param options options of the comparison. The run uses their scale and seed. With {@code
   *     majorsOnly} it makes no reads except during the major compaction, and only one check, after
   *     it
   * @param belief maps the generator's expectation to the one that the checks use; identity except
   *     in tests
   */
  TableRun(
      Contender contender,
      CompareOptions options,
      int repeat,
      String table,
      UnaryOperator<Expectation> belief,
      ComparisonProgress progress) {
    this.contender = contender;
    this.options = options;
    this.scale = options.scale();
    this.repeat = repeat;
    this.table = table;
    this.belief = belief;
    this.progress = progress;
    this.strategyClass = contender.className();
    this.workload = new Workload(options.seed(), scale.load(), Cql::token);
  }

  /**
   * Performs all phases before the restart; wrong rows do not throw.
   *
   * @throws NodeException if a phase breaks off; the measurements before it stay
   */
  void measure(Node node) throws NodeException, InterruptedException {
    try (Cql cql = new Cql(node.session(), table)) {
      cql.create(contender);
      cql.prepare();
      RecorderMXBean recorder = node.client().recorder();
      recorder.watch(Cql.KEYSPACE, table);
      strategyClass = String.join(", ", recorder.getStrategies());
      cassandra = node.client().version();

      phase(ComparisonProgress.Phase.LOAD, node);
      ReadMeasurement reader =
          new ReadMeasurement(node.client(), cql, table, scale.reads(), options.seed(), workload);
      LoadWriter loader = new LoadWriter(node, scale.load(), reader, !options.majorsOnly());
      load = loader.run(progress);
      phase(ComparisonProgress.Phase.EXPIRE, node);
      TimeUnit.SECONDS.sleep(Workload.SHORT_TTL_SECONDS + 1);
      if (options.majorsOnly()) {
        reader.warmUp();
      } else {
        phase(ComparisonProgress.Phase.CHECK, node);
        check(cql, "after the load");
        phase(ComparisonProgress.Phase.READ, node);
        reads = reader.run(progress);
      }
      phase(ComparisonProgress.Phase.MAJOR, node);
      compact(node, reader);
      phase(ComparisonProgress.Phase.CHECK_MAJOR, node);
      check(cql, "after the major compaction");
      clock.end(node.processorTime());
    } catch (IOException | JMException | RuntimeException e) {
      throw node.failure("the run broke off: " + e, e);
    }
  }

  /** Begins a phase on a node. */
  void phase(ComparisonProgress.Phase next, Node node) {
    progress.phase(next);
    clock.next(next, node.processorTime());
  }

  /**
   * Checks the rows on a node restarted over the same data, and adds the result to {@link #checks};
   * wrong rows do not throw.
   *
   * @throws NodeException if the check breaks off
   */
  void checkRestarted(Node node) throws NodeException, InterruptedException {
    try (Cql cql = new Cql(node.session(), table)) {
      cql.prepare();
      phase(ComparisonProgress.Phase.CHECK_RESTART, node);
      check(cql, "after a restart");
      clock.end(node.processorTime());
    } catch (RuntimeException e) {
      throw node.failure("the check after the restart broke off: " + e, e);
    }
  }

  private void check(Cql cql, String when) throws InterruptedException {
    Expectation expected = belief.apply(workload.expectation());
    int rows = scale.reads().sampleRows();
    long[] sample = RowVerifier.sample(options.seed(), workload.partitions(), rows);
    checks.add(new RowVerifier(cql, expected, sample).run(when, progress));
  }

  private void compact(Node node, ReadMeasurement reader)
      throws NodeException, InterruptedException, IOException, JMException {
    RecorderMXBean recorder = node.client().recorder();
    LoadWriter.settle(node);
    long before = recorder.getSpace().bytes();
    recorder.startSpace(workload.liveBytes());
    PacedReads meanwhile = reader.paced();
    LatencyHistogram latencies;
    long begun = System.nanoTime();
    double seconds;
    try {
      node.client().compact(Cql.KEYSPACE, table);
      seconds = (System.nanoTime() - begun) / 1e9;
    } finally {
      latencies = meanwhile.stop();
    }
    int rewrites = recorder.getChanges().rewrites();
    LoadWriter.settle(node);
    if (recorder.getChanges().rewrites() > rewrites) {
      // What the command left for later is part of it.
      seconds = (System.nanoTime() - begun) / 1e9;
    }
    long extra = Math.max(0, recorder.getSpace().peakBytes() - before);
    major =
        new Figures.Major(
            before,
            extra,
            recorder.getSpace().bytes(),
            workload.liveBytes(),
            seconds,
            latencies.count(),
            latencies.nanosAt(0.99) / 1e3);
  }

  /** Records the reason why the run ended early, for {@link #result}. */
  void failed(String why) {
    failure = why;
  }

  RunResult result() {
    return new RunResult(
        contender,
        repeat,
        options.majorsOnly(),
        strategyClass,
        cassandra,
        load,
        reads,
        major,
        checks,
        (System.nanoTime() - start) / 1e9,
        clock.times(),
        failure);
  }
}
