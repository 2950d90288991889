// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.spec.LevelGrowth;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Simulation of a large store as several {@link LevelWindow}s, each a range of its levels. For each
 * level, the bytes written into it and its runs per lookup come from the first window that shows
 * it. Space comes from the window with the deepest levels, and so does the history, adjusted to the
 * totals of all levels.
 */
final class WindowedSimulation {

  /** Window with its results. */
  private record Found(LevelWindow window, SimulationReport report, LevelTally tally) {

    /**
     * Returns the work that a load of this many entries causes in one of the window's levels, in
     * real plans.
     */
    List<SimulationReport.Cause> causes(int level, double entries) {
      // If each real table has a merge of its own, one simulated plan stands for that many.
      double plans = window.grain().together() ? 1 : window.grain().tables();
      return tally.causes(level, entries).stream().map(cause -> cause.times(plans, 1)).toList();
    }
  }

  /**
   * Power of the share of the writes that the time of a window follows whose segments gather
   * slices.
   */
  private static final double GATHERING_POWER = 1.75;

  private final Scenario scenario;
  private final List<Found> found = new ArrayList<>();

  private double runs;
  private int maxRuns;

  private final Map<String, SimulationReport.Cause> causes = new LinkedHashMap<>();

  private WindowedSimulation(Scenario scenario) {
    this.scenario = scenario;
  }

  /**
   * Simulates all windows one after the other on this thread.
   *
   * @param windows the uppermost first; together they show every level
   * @param observers makes the observer of each window
   */
  static SimulationReport run(
      Scenario scenario,
      List<LevelWindow> windows,
      SimulationProgress progress,
      Function<Scenario, Simulation.Observer> observers) {
    WindowedSimulation store = new WindowedSimulation(scenario);
    double all = windows.stream().mapToDouble(WindowedSimulation::work).sum();
    double power = LevelGrowth.gathersSlices(scenario.policy()) ? GATHERING_POWER : 1;
    double done = 0;
    for (LevelWindow window : windows) {
      double before = done;
      double work = work(window);
      store.observe(
          window,
          share -> progress.at((before + Math.pow(share, power) * work) / all),
          observers.apply(window.scenario()));
      done += work;
    }
    return store.report();
  }

  /**
   * Returns the expected time of a window, relative to the others: the tables that its flushes
   * make, times the tables that a plan has to choose from.
   */
  private static double work(LevelWindow window) {
    Scenario part = window.scenario();
    long bytes = Math.min(part.memtableBytes(), part.policy().tableBytes());
    double written = (double) part.writeBytes() / bytes;
    double live = (double) part.dataBytes() / part.policy().tableBytes();
    return written * Math.max(1, Math.min(written, live));
  }

  private void observe(
      LevelWindow window, SimulationProgress progress, Simulation.Observer observer) {
    Scenario part = window.scenario();
    LevelTally tally = new LevelTally(observer, part.operations() / 2);
    ClassModel model = new ClassModel(part, window.grain());
    SimulationReport report = Simulator.run(part, model, progress, tally);
    found.add(new Found(window, report, tally));
  }

  private SimulationReport report() {
    Found top = found.get(0);
    Found bottom = found.get(found.size() - 1);
    int levels = bottom.window.shift() + bottom.tally.levels();
    double flushed = (double) top.report.flushedBytes() / top.report.userBytes();
    double written = flushed * scenario.operations() * scenario.entryBytes();
    // Runs of a sequential load are disjoint.
    boolean sequential = scenario.workload().kind() == WriteWorkload.Kind.SEQUENTIAL;
    for (int level = 0; level < levels; level++) {
      Found source = source(level);
      int own = level - source.window.shift();
      for (SimulationReport.Cause cause : source.causes(own, scenario.operations())) {
        written += cause.writtenBytes();
        causes.merge(cause.kind() + " " + cause.code(), cause, SimulationReport.Cause::plus);
      }
      runs += source.tally.runs(own);
      maxRuns += sequential ? 0 : source.tally.maxRuns(own);
    }
    return report(written, flushed, bottom);
  }

  private Found source(int level) {
    return found.stream().filter(part -> part.window.shows(level)).findFirst().orElseThrow();
  }

  private SimulationReport report(double written, double flushed, Found bottom) {
    SimulationReport below = bottom.report;
    double userBytes = (double) scenario.operations() * scenario.entryBytes();
    List<SimulationReport.Cause> byBytes = new ArrayList<>(causes.values());
    byBytes.sort(
        Comparator.comparingLong(SimulationReport.Cause::writtenBytes)
            .thenComparingLong(SimulationReport.Cause::movedBytes)
            .reversed());
    double more = written / userBytes - below.wa();
    int runsMore = (int) Math.round(runs - below.raMean());
    return new SimulationReport(
        scenario.policy().toString(),
        scenario.fidelity(),
        Math.round(userBytes),
        Math.round(flushed * userBytes),
        (scenario.writeBytes() + scenario.memtableBytes() - 1) / scenario.memtableBytes(),
        written / userBytes,
        runs,
        Math.max(maxRuns, below.raMax()),
        1
            + (below.raFilteredMean() - 1)
                * Math.max(0, runs - 1)
                / Math.max(1e-9, below.raMean() - 1),
        below.saSteady(),
        below.saPeak(),
        below.transientPeak(),
        below.lackedBytes(),
        byBytes,
        below.samples().stream()
            .map(
                sample ->
                    new SimulationReport.Sample(
                        sample.userBytes(),
                        sample.liveBytes(),
                        sample.diskBytes(),
                        sample.writtenBytes() + Math.round(more * sample.userBytes()),
                        sample.runs() + runsMore))
            .toList());
  }
}
