// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.Traffic;
import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.UniformDraws;

/** Endless stream of key numbers, from 0. Used by one thread. */
interface KeyDraws {

  int next();

  /**
   * Returns key numbers with the distribution of the traffic.
   *
   * @param count number of keys; key numbers are below it
   */
  static KeyDraws of(Traffic traffic, int count, long seed) {
    if (traffic.zipf() > 0) {
      return new ZipfDraws(seed, count, traffic.zipf());
    }
    UniformDraws draws = new UniformDraws(seed, count);
    return () -> (int) draws.next();
  }

  /** Returns a stream of the numbers in ascending order from 0. */
  static KeyDraws ascending() {
    return new KeyDraws() {
      private int next;

      @Override
      public int next() {
        return next++;
      }
    };
  }

  /** Returns every number from 0 to {@code count}, exclusive, once, in random order. */
  static KeyDraws once(int count, long seed) {
    Permutation order = new Permutation(count, seed);
    KeyDraws ascending = ascending();
    return () -> order.of(ascending.next());
  }
}
