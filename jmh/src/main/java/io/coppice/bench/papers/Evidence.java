// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.peers.Prediction;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.StoreSpec;
import io.coppice.simulator.SimulationReport;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measurements of the experiments, and predictions of the simulator for the same loads.
 *
 * @param rows ratios of the suites {@code read} and YCSB, by row id
 * @param resumption results of killed and paused merges
 */
record Evidence(
    TrialResults measured, Prediction prediction, Map<String, Double> rows, Resumption resumption) {

  /** Returns the ratio of a row of the suites {@code read} or YCSB; NaN if it was not measured. */
  double row(String id) {
    return rows.getOrDefault(id, Double.NaN);
  }

  /** Returns the measurement of one workload of a trial on one store. */
  Run run(String trial, StoreSpec store, Benchmark workload) {
    return new Run(this, trial, store, workload);
  }

  /** Returns the measurements of one workload of a trial on two stores. */
  Pair pair(String trial, StoreSpec store, StoreSpec peer, Benchmark workload) {
    return new Pair(run(trial, store, workload), run(trial, peer, workload));
  }

  /** Measurement of one workload of a trial on one store. */
  record Run(Evidence evidence, String trial, StoreSpec store, Benchmark workload) {

    double of(ToDoubleFunction<CellResult> figure) {
      return evidence.measured.figures(trial, store, workload, figure)[0];
    }

    double of(Measure measure) {
      return of(cell -> cell.of(measure));
    }

    /** Returns operations per second, over the time until all flushes and merges have ended. */
    double rate() {
      return of(CellResult::settledRate);
    }

    /** Returns the bytes flushed and merged per flushed byte. */
    double amplification() {
      return of(CellResult::flushAmplification);
    }

    /**
     * Returns the simulator's prediction for the same writes and number of flushes.
     *
     * @param law distribution of the keys, in the simulator's words
     */
    SimulationReport predicted(String law) {
      BenchOptions options = evidence.measured.options(trial);
      return evidence.prediction.of(
          store.policy() + ",table_size=" + options.form().tableBytes(),
          law,
          options.entries(),
          (long) of(Measure.WRITES),
          options.valueBytes(),
          of(Measure.FLUSHES));
    }
  }

  /**
   * Measurements of the same workload on two stores, the policy of the paper first. Savings are
   * shares from 0 to 1.
   */
  record Pair(Run ours, Run peer) {

    double ratio(ToDoubleFunction<CellResult> figure) {
      return ours.of(figure) / peer.of(figure);
    }

    double ratio(Measure measure) {
      return ratio(cell -> cell.of(measure));
    }

    double rate() {
      return ratio(CellResult::settledRate);
    }

    /**
     * Returns the share of the bytes that merges write in the second store and the first one saves.
     */
    double saved() {
      return 1 - ratio(Measure.MERGED_BYTES);
    }

    /**
     * Returns the share of the bytes that merges read in the second store and the first one saves.
     */
    double savedReads() {
      return 1 - ratio(Measure.MERGE_READ_BYTES);
    }

    /** Returns the predicted {@link #saved}. */
    double predictedSaving(String law) {
      return 1 - (ours.predicted(law).wa() - 1) / (peer.predicted(law).wa() - 1);
    }

    /** Returns the predicted {@link #savedReads}. */
    double predictedReadSaving(String law) {
      return 1 - readByMerges(ours.predicted(law)) / readByMerges(peer.predicted(law));
    }

    private static double readByMerges(SimulationReport report) {
      return (double) report.causes().stream().mapToLong(SimulationReport.Cause::readBytes).sum()
          / report.userBytes();
    }
  }
}
