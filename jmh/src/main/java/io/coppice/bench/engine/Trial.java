// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.List;
import java.util.function.Function;

/**
 * One load on several stores. Each store and round has its own process.
 *
 * @param id names it in reports and on disk
 * @param room options that determine disk and memory use of a process, known in advance
 * @param options options of each process; they may depend on earlier measurements and then stay
 *     constant
 * @param seconds that one process takes on a machine of nominal speed
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

  /** Returns a trial with options that are known in advance. */
  public static Trial of(
      String id, List<StoreSpec> stores, int rounds, BenchOptions options, double seconds) {
    return new Trial(id, stores, rounds, options, measured -> options, seconds);
  }
}
