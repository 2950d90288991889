// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.List;
import java.util.function.Function;

/**
 * One load on several stores, each in a process of its own, as often as there are rounds.
 *
 * @param id names it in reports and on disk
 * @param room options that tell how much disk and memory a process takes, known beforehand
 * @param options of each process; may follow from what was measured before, and then stays
 * @param seconds that one process takes on a machine of nominal speed
 */
public record Trial(
    String id,
    List<StoreSpec> stores,
    int rounds,
    BenchOptions room,
    Function<TrialResults, BenchOptions> options,
    double seconds) {

  /** Copies the list. */
  public Trial {
    stores = List.copyOf(stores);
  }

  /** A trial with options that are known. */
  public static Trial of(
      String id, List<StoreSpec> stores, int rounds, BenchOptions options, double seconds) {
    return new Trial(id, stores, rounds, options, measured -> options, seconds);
  }
}
