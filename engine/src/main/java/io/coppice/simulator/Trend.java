// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.Growth;
import io.coppice.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A store of whole runs whose policy has no law of growth. Runs are single tables, so a flush costs
 * little, and so many flushes are simulated one by one. A longer load is simulated with memtables
 * two, four, ... times as large; what merges write grows by about the same factor whenever the
 * memtable halves, so it follows by a line through the logarithms of the largest simulated loads.
 * Space and runs are those of the largest.
 */
final class Trend {

  /** Flushes of the largest load that is simulated, at most. */
  private static final double FLUSHES = 1 << 19;

  /** The same for a sequential load, whose runs keep a table a flush. */
  private static final double SEQUENTIAL_FLUSHES = 1 << 12;

  /** Loads that make a line. */
  private static final int LOADS = 4;

  private final Scenario scenario;
  private final Function<Scenario, Simulation.Observer> observers;

  Trend(Scenario scenario, Function<Scenario, Simulation.Observer> observers) {
    this.scenario = scenario;
    this.observers = observers;
  }

  Report run(Progress progress) {
    double flushes = (double) scenario.writeBytes() / scenario.memtableBytes();
    int doublings = 0;
    boolean sequential = scenario.workload().kind() == Workload.Kind.SEQUENTIAL;
    while (flushes / (1L << doublings) > (sequential ? SEQUENTIAL_FLUSHES : FLUSHES)) {
      doublings++;
    }
    List<Report> reports = new ArrayList<>();
    int loads = doublings == 0 ? 1 : LOADS;
    double all = 2 - StrictMath.pow(2, 1 - loads);
    double done = 0;
    for (int i = 0; i < loads; i++) {
      double before = done;
      double share = StrictMath.pow(2, -i) / all;
      reports.add(simulate(doublings + i, part -> progress.at(before + share * part)));
      done += share;
    }
    Report largest = reports.get(0);
    return doublings == 0 ? largest : withMerges(largest, merges(reports, doublings), doublings);
  }

  private Report simulate(int doublings, Progress progress) {
    double memtable = (double) scenario.memtableBytes() * (1L << doublings);
    double table = Grain.wholeRun(scenario, memtable);
    PolicySpec policy = Growth.scaled(scenario.policy(), 0, table, table, true);
    Scenario part =
        new Scenario(
            policy,
            scenario.rule(),
            scenario.workload(),
            scenario.dataBytes(),
            scenario.writeBytes(),
            (long) memtable,
            scenario.entryBytes(),
            scenario.filterBits(),
            scenario.readsPerWrite(),
            Long.MAX_VALUE,
            scenario.seed(),
            scenario.fidelity());
    Grain grain = new Grain(scenario.policy().tableBytes(), table, true);
    return Simulator.run(part, new ClassModel(part, grain), progress, observers.apply(part));
  }

  /** Merged bytes over user bytes at the real memtable, by the line of least squares. */
  private static double merges(List<Report> reports, int doublings) {
    double meanX = (LOADS - 1) / 2.0;
    double meanY = 0;
    double[] y = new double[LOADS];
    for (int i = 0; i < LOADS; i++) {
      Report report = reports.get(i);
      y[i] = StrictMath.log(Math.max(1e-9, merged(report)));
      meanY += y[i] / LOADS;
    }
    double xy = 0;
    double xx = 0;
    for (int i = 0; i < LOADS; i++) {
      xy += (i - meanX) * (y[i] - meanY);
      xx += (i - meanX) * (i - meanX);
    }
    return StrictMath.exp(y[0] - xy / xx * doublings);
  }

  private static double merged(Report report) {
    return report.wa() - (double) report.flushedBytes() / report.userBytes();
  }

  private Report withMerges(Report largest, double merged, int doublings) {
    double flushed = flushed();
    double times = merged / Math.max(1e-9, merged(largest));
    double userBytes = largest.userBytes();
    return new Report(
        scenario.policy().toString(),
        scenario.fidelity(),
        largest.userBytes(),
        Math.round(flushed * userBytes),
        (scenario.writeBytes() + scenario.memtableBytes() - 1) / scenario.memtableBytes(),
        flushed + merged,
        largest.raMean(),
        largest.raMax(),
        largest.raFilteredMean(),
        largest.saSteady(),
        largest.saPeak(),
        largest.transientPeak(),
        largest.causes().stream().map(cause -> cause.times(1L << doublings, times)).toList(),
        largest.samples().stream()
            .map(
                sample ->
                    new Report.Sample(
                        sample.userBytes(),
                        sample.liveBytes(),
                        sample.diskBytes(),
                        Math.round(sample.writtenBytes() * (flushed + merged) / largest.wa()),
                        sample.runs()))
            .toList());
  }

  /** Distinct bytes of a memtable over its bytes. */
  private double flushed() {
    if (scenario.workload().kind() == Workload.Kind.SEQUENTIAL) {
      return 1;
    }
    double operations = (double) scenario.memtableBytes() / scenario.entryBytes();
    Popularity popularity = Popularity.of(scenario.workload(), scenario.keys());
    return popularity.entries(popularity.touched(operations)) / operations;
  }
}
