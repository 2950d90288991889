// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.StoreSpec;
import java.util.List;
import java.util.function.Function;

/**
 * One workload sequence on several stores. Each store and round has its own process.
 *
 * @param id name in reports and of files
 * @param room options that determine the disk and memory use of a process, known before the run
 * @param options returns the options of each process; they may depend on results of earlier trials
 * @param seconds expected seconds of one process on a machine of nominal speed
 */
public record Trial(
    String id,
    List<StoreSpec> stores,
    int rounds,
    BenchOptions room,
    Function<TrialResults, BenchOptions> options,
    double seconds) {

  public Trial {
    stores = List.copyOf(stores);
  }

  /** Returns a trial whose processes all have the same options. */
  public static Trial of(
      String id, List<StoreSpec> stores, int rounds, BenchOptions options, double seconds) {
    return new Trial(id, stores, rounds, options, measured -> options, seconds);
  }
}
