// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.Plan;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.store.SimulatedRun;
import io.coppice.simulator.store.SimulatedSlice;
import io.coppice.simulator.store.SimulatedStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Accumulator of the numbers of a {@link SimulationReport}. */
final class Measures<C> {

  private static final int SAMPLES = 200;

  /** Most fingerprint bits per key that the engine's filters have. */
  private static final int MAX_FINGERPRINT_BITS = 16;

  private final Scenario scenario;
  private final ContentModel<C> model;
  private final SimulatedStore<C> store;

  private final Map<String, SimulationReport.Cause> causes = new LinkedHashMap<>();
  private final List<SimulationReport.Sample> samples = new ArrayList<>();
  private long flushes;
  private long flushedBytes;
  private double mergedBytes;
  private long transientBytes;
  private double saPeak;
  private double saSum;
  private double runsSum;
  private long rests;
  private int runsMost;
  private int boundSwept;

  Measures(Scenario scenario, ContentModel<C> model, SimulatedStore<C> store) {
    this.scenario = scenario;
    this.model = model;
    this.store = store;
  }

  /** Records a flush that wrote this many bytes of tables, after the store has received them. */
  void flushed(long bytes) {
    flushes++;
    flushedBytes += bytes;
    notePeak(store.diskBytes());
  }

  /** Records a plan that was carried out; the store already shows its effect. */
  void applied(Plan plan, SimulatedStore.Effect effect) {
    mergedBytes += effect.writtenBytes();
    long before = store.diskBytes() - effect.keptBytes();
    notePeak(before + effect.peakBytes());
    transientBytes = Math.max(transientBytes, effect.peakBytes() - Math.max(0, effect.keptBytes()));
    SimulationReport.Cause cause = cause(plan, effect);
    causes.merge(cause.kind() + " " + cause.code(), cause, SimulationReport.Cause::plus);
  }

  static SimulationReport.Cause cause(Plan plan, SimulatedStore.Effect effect) {
    return new SimulationReport.Cause(
        kind(plan),
        plan.reason().code(),
        1,
        effect.readBytes(),
        effect.writtenBytes(),
        effect.movedBytes());
  }

  static String kind(Plan plan) {
    if (plan instanceof Plan.Merge) {
      return "merge";
    }
    if (plan instanceof Plan.Delay) {
      return "delay";
    }
    return plan instanceof Plan.Move ? "move" : "drop";
  }

  /** Records the state of the store when the policy wants no further plan for now. */
  void rested() {
    boolean sample = samples.size() < SAMPLES * share();
    if (2 * model.userEntries() >= scenario.operations()) {
      rests++;
      saSum += store.diskBytes() / liveBytes();
      runsSum += meanRuns();
    }
    noteMostRuns(sample);
    if (sample) {
      samples.add(
          new SimulationReport.Sample(
              userBytes(),
              Math.round(liveBytes()),
              store.diskBytes(),
              Math.round(flushedBytes + mergedBytes),
              runs()));
    }
  }

  private double share() {
    return (double) model.userEntries() / scenario.operations();
  }

  private long userBytes() {
    return Math.round(model.userEntries() * scenario.operationBytes());
  }

  /** Returns the bytes of the live entries; of one entry if all keys are deleted. */
  private double liveBytes() {
    return Math.max(1, model.liveEntries()) * scenario.entryBytes();
  }

  private void notePeak(long diskBytes) {
    if (2 * model.userEntries() >= scenario.operations()) {
      saPeak = Math.max(saPeak, diskBytes / liveBytes());
    }
  }

  private int runs() {
    int runs = 0;
    for (List<SimulatedRun<C>> level : store.levels()) {
      for (SimulatedRun<C> run : level) {
        runs += run.segments().isEmpty() ? 0 : 1;
      }
    }
    return runs;
  }

  /** Returns the mean number of slices that cover a rank, over all ranks. */
  private double meanRuns() {
    long covered = 0;
    for (List<SimulatedRun<C>> level : store.levels()) {
      for (SimulatedRun<C> run : level) {
        covered += run.covered();
      }
    }
    return (double) covered / model.ranks();
  }

  /**
   * Updates the largest number of slices that cover a key. The sum of the runs' depths bounds it.
   * The sweep over all keys runs only if that sum exceeds the maximum found, and then only at
   * samples or if the sum is larger than at any earlier sweep.
   */
  private void noteMostRuns(boolean sample) {
    int bound = 0;
    for (List<SimulatedRun<C>> level : store.levels()) {
      for (SimulatedRun<C> run : level) {
        bound += run.depth();
      }
    }
    if (bound > runsMost && (sample || bound > boundSwept)) {
      boundSwept = Math.max(boundSwept, bound);
      runsMost = Math.max(runsMost, depth());
    }
  }

  private int depth() {
    List<SimulatedSlice<C>> all = new ArrayList<>();
    for (List<SimulatedRun<C>> level : store.levels()) {
      for (SimulatedRun<C> run : level) {
        run.segments().forEach(segment -> all.addAll(segment.slices()));
      }
    }
    int[] lows = all.stream().mapToInt(SimulatedSlice::low).toArray();
    int[] highs = all.stream().mapToInt(SimulatedSlice::high).toArray();
    Arrays.sort(lows);
    Arrays.sort(highs);
    int most = 0;
    int closed = 0;
    for (int i = 0; i < lows.length; i++) {
      while (highs[closed] < lows[i]) {
        closed++;
      }
      most = Math.max(most, i + 1 - closed);
    }
    return most;
  }

  /**
   * Returns the fraction of absent keys that pass a filter; 1 without a filter. The engine's binary
   * fuse filters need six bits per key for five fingerprint bits.
   */
  static double falsePositives(int filterBits) {
    return StrictMath.scalb(1.0, -Math.min(MAX_FINGERPRINT_BITS, filterBits * 5 / 6));
  }

  /**
   * Returns the report of the whole load.
   *
   * @param lackedBytes see {@link SimulationReport#lackedBytes}
   */
  SimulationReport report(long lackedBytes) {
    double wa = (flushedBytes + mergedBytes) / userBytes();
    double raMean = rests == 0 ? 0 : runsSum / rests;
    double falsePositives = falsePositives(scenario.filterBits());
    List<SimulationReport.Cause> byBytes = new ArrayList<>(causes.values());
    byBytes.sort(
        Comparator.comparingLong(SimulationReport.Cause::writtenBytes)
            .thenComparingLong(SimulationReport.Cause::movedBytes)
            .reversed());
    return new SimulationReport(
        scenario.policy().toString(),
        scenario.fidelity(),
        userBytes(),
        flushedBytes,
        flushes,
        wa,
        raMean,
        runsMost,
        1 + falsePositives * Math.max(0, raMean - 1),
        rests == 0 ? 0 : saSum / rests,
        saPeak,
        transientBytes / liveBytes(),
        lackedBytes,
        byBytes,
        samples);
  }
}
