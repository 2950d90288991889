// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.StoreSpec;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Trials as if they had been measured: the same figures for each store, but what a test changes.
 */
public final class Invented {

  private Invented() {}

  /**
   * Of all trials, in the order in which they would run.
   *
   * @param change of one figure, by store
   */
  public static TrialResults of(List<Trial> trials, BiFunction<StoreSpec, Measure, Double> change) {
    TrialResults measured = new TrialResults();
    for (Trial trial : trials) {
      BenchOptions options = trial.options().apply(measured);
      for (int round = 0; round < trial.rounds(); round++) {
        for (StoreSpec store : trial.stores()) {
          measured.add(trial.id(), store, options, outcome(store, options, change));
        }
      }
    }
    return measured;
  }

  private static Child.Outcome outcome(
      StoreSpec store, BenchOptions options, BiFunction<StoreSpec, Measure, Double> change) {
    List<CellResult> results = new ArrayList<>();
    for (Benchmark benchmark : options.benchmarks()) {
      Map<Measure, Long> measures = new EnumMap<>(Measure.class);
      for (Measure measure : Measure.values()) {
        measures.put(measure, Math.round(1_000_000 * change.apply(store, measure)));
      }
      measures.put(Measure.FLUSHES, Math.max(2, 2 * options.dataBytes() / options.memtableBytes()));
      measures.put(Measure.WRITES, (long) options.entries());
      results.add(new CellResult(benchmark, measures));
    }
    Second second = new Second(Benchmark.READRANDOMWRITERANDOM, 1, 5, 6, 7, 8, 9, 10, 0.5);
    return new Child.Outcome("invented " + store.label(), results, List.of(second), null, null);
  }
}
