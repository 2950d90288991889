// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.Benchmark;
import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.Measure;
import io.coppice.bench.engine.StoreSpec;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.peers.Prediction;
import io.coppice.simulator.SimulationReport;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measurements of the experiments, and predictions of the simulator for the same loads.
 *
 * @param rows of the suites of reads and of YCSB, by id: ratios
 * @param resumption results of killed and paused merges
 */
record Evidence(
    TrialResults measured, Prediction prediction, Map<String, Double> rows, Resumption resumption) {

  double of(
      String trial, StoreSpec store, Benchmark benchmark, ToDoubleFunction<CellResult> figure) {
    return measured.figures(trial, store, benchmark, figure)[0];
  }

  double of(String trial, StoreSpec store, Benchmark benchmark, Measure measure) {
    return of(trial, store, benchmark, cell -> cell.of(measure));
  }

  /** Every result of a process, in order. */
  List<CellResult> all(String trial, StoreSpec store) {
    return measured.rounds(trial, store).get(0).results();
  }

  /** Returns the figure of our side divided by that of the peer. */
  double ratio(
      String trial,
      StoreSpec store,
      StoreSpec peer,
      Benchmark benchmark,
      ToDoubleFunction<CellResult> figure) {
    return of(trial, store, benchmark, figure) / of(trial, peer, benchmark, figure);
  }

  /** Share of the merged bytes that one store saves beside another, from 0 to 1. */
  double saved(String trial, StoreSpec store, StoreSpec peer, Benchmark benchmark) {
    return 1 - ratio(trial, store, peer, benchmark, cell -> cell.of(Measure.MERGED_BYTES));
  }

  /** Returns a row of the suites of reads or of YCSB; not a number if it was not measured. */
  double row(String id) {
    return rows.getOrDefault(id, Double.NaN);
  }

  /**
   * Returns the simulator's prediction for the writes of a benchmark with the same number of
   * flushes.
   */
  SimulationReport predicted(String trial, StoreSpec store, Benchmark benchmark, String workload) {
    BenchOptions options = measured.options(trial);
    return prediction.of(
        store.policy() + ",table_size=" + options.form().tableBytes(),
        workload,
        options.entries(),
        (long) of(trial, store, benchmark, Measure.WRITES),
        options.valueBytes(),
        of(trial, store, benchmark, Measure.FLUSHES));
  }

  /** Share of the bytes that merges read which the simulator says is saved. */
  double predictedReadSaving(
      String trial, StoreSpec store, StoreSpec peer, Benchmark benchmark, String workload) {
    return 1
        - readByMerges(predicted(trial, store, benchmark, workload))
            / readByMerges(predicted(trial, peer, benchmark, workload));
  }

  private static double readByMerges(SimulationReport report) {
    return (double) report.causes().stream().mapToLong(SimulationReport.Cause::readBytes).sum()
        / report.userBytes();
  }

  /** Share of merging that the simulator says is saved. */
  double predictedSaving(
      String trial, StoreSpec store, StoreSpec peer, Benchmark benchmark, String workload) {
    return 1
        - (predicted(trial, store, benchmark, workload).wa() - 1)
            / (predicted(trial, peer, benchmark, workload).wa() - 1);
  }
}
