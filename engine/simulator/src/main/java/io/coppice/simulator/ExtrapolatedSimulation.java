// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.spec.LevelGrowth;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.Popularity;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Simulation of a large store whose policy has no growth law. Each run is a single table, so a
 * flush is cheap, and up to some million flushes are simulated one by one. A longer load is
 * simulated with larger memtables of two sizes. Merged bytes grow by about the same factor whenever
 * the memtable shrinks by the same factor. The result for the real memtable therefore follows from
 * a straight line through the logarithms. Space and runs are those of the longest load simulated.
 */
final class ExtrapolatedSimulation {

  /** Most flushes of the longest load that is simulated. */
  private static final double FLUSHES = 1 << 23;

  /** Most flushes of a sequential load, whose runs keep one table per flush. */
  private static final double SEQUENTIAL_FLUSHES = 1 << 12;

  /** Number of simulated loads, which are the points of the line. */
  private static final int LOADS = 2;

  /** Ratio of one memtable size to the next smaller one. */
  private static final double STEP = 4;

  private final Scenario scenario;
  private final Function<Scenario, Simulation.Observer> observers;
  private final double maxFlushes;

  ExtrapolatedSimulation(Scenario scenario, Function<Scenario, Simulation.Observer> observers) {
    this(
        scenario,
        observers,
        scenario.workload().kind() == WriteWorkload.Kind.SEQUENTIAL ? SEQUENTIAL_FLUSHES : FLUSHES);
  }

  /**
   * Creates a simulation of a scenario.
   *
   * @param observers makes the observer of each simulated load
   * @param maxFlushes most flushes of the longest load
   */
  ExtrapolatedSimulation(
      Scenario scenario, Function<Scenario, Simulation.Observer> observers, double maxFlushes) {
    this.scenario = scenario;
    this.observers = observers;
    this.maxFlushes = maxFlushes;
  }

  SimulationReport run(SimulationProgress progress) {
    double flushes = (double) scenario.writeBytes() / scenario.memtableBytes();
    double larger = Math.max(1, flushes / maxFlushes);
    if (larger == 1) {
      return simulate(1, progress);
    }
    double all = 0;
    for (int i = 0; i < LOADS; i++) {
      all += StrictMath.pow(STEP, -i);
    }
    List<SimulationReport> reports = new ArrayList<>();
    double done = 0;
    for (int i = 0; i < LOADS; i++) {
      double before = done;
      double share = StrictMath.pow(STEP, -i) / all;
      reports.add(
          simulate(larger * StrictMath.pow(STEP, i), part -> progress.at(before + share * part)));
      done += share;
    }
    return withMerges(reports.get(0), merges(reports, larger), larger);
  }

  /** Returns the report of the load with memtables of {@code larger} times the real size. */
  private SimulationReport simulate(double larger, SimulationProgress progress) {
    double memtable = scenario.memtableBytes() * larger;
    double table = Grain.wholeRun(scenario, memtable);
    PolicySpec policy = LevelGrowth.scaled(scenario.policy(), 0, table, table, true);
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

  /**
   * Returns the bytes written by merges per byte written by the user at the real memtable size,
   * extrapolated from the longest load along the line.
   *
   * @param reports results by memtable size, the smallest memtable, which has the longest load,
   *     first
   * @param larger memtable size of the longest load divided by the real one
   */
  private static double merges(List<SimulationReport> reports, double larger) {
    double first = StrictMath.log(merged(reports.get(0)));
    double last = StrictMath.log(merged(reports.get(LOADS - 1)));
    double slope = (first - last) / ((LOADS - 1) * StrictMath.log(STEP));
    return StrictMath.exp(first + slope * StrictMath.log(larger));
  }

  private static double merged(SimulationReport report) {
    return Math.max(1e-9, report.wa() - (double) report.flushedBytes() / report.userBytes());
  }

  private SimulationReport withMerges(SimulationReport largest, double merged, double morePlans) {
    double flushed = flushed();
    double times = merged / merged(largest);
    double userBytes = largest.userBytes();
    return new SimulationReport(
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
        largest.lackedBytes(),
        largest.causes().stream().map(cause -> cause.times(morePlans, times)).toList(),
        largest.samples().stream()
            .map(
                sample ->
                    new SimulationReport.Sample(
                        sample.userBytes(),
                        sample.liveBytes(),
                        sample.diskBytes(),
                        Math.round(sample.writtenBytes() * (flushed + merged) / largest.wa()),
                        sample.runs()))
            .toList());
  }

  /**
   * Returns the fraction of the written entries that flushes keep; later writes to a key in the
   * same memtable replace earlier ones.
   */
  private double flushed() {
    if (scenario.workload().kind() == WriteWorkload.Kind.SEQUENTIAL) {
      return 1;
    }
    double operations = (double) scenario.memtableBytes() / scenario.entryBytes();
    Popularity popularity = Popularity.of(scenario.workload(), scenario.keys());
    return popularity.entries(popularity.touched(operations)) / operations;
  }
}
