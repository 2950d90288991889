// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

import io.coppice.simulator.keys.Popularity;

/**
 * Expected load of a live store.
 *
 * @param keys number of distinct keys, among which writes choose; far above the number of entries
 *     if no key is written twice
 * @param exponent exponent of Zipf's law for the popularity of the keys; 0 if all are equally
 *     likely
 * @param entryBytes bytes of an entry on disk
 * @param flushEntries entries per flush, at least 1
 * @param flushes number of flushes, at least 1
 * @param readsAFlush lookups from one flush to the next; they request merges of virtual segments
 * @param seed seed of all random numbers
 */
public record LiveLoad(
    double keys,
    double exponent,
    double entryBytes,
    double flushEntries,
    int flushes,
    int readsAFlush,
    long seed) {

  /** Halvings in the search for a number of keys. */
  private static final int HALVINGS = 60;

  /** Most keys that the search considers, as a multiple of the writes. */
  private static final double MAX_FACTOR = 1e6;

  /**
   * Returns the number of distinct keys among which writes must choose, so that this many writes
   * leave this many entries. It is at most a million times the entries.
   *
   * @param exponent exponent of Zipf's law; 0 if all keys are equally likely
   * @param writes number of writes, at least {@code entries}
   * @param entries distinct keys that these writes leave
   */
  public static double keys(double exponent, double writes, double entries) {
    double low = Math.log(Math.max(1, entries));
    double high = low + Math.log(MAX_FACTOR);
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      Popularity popularity = LiveModel.popularity(exponent, Math.exp(middle));
      if (popularity.entries(popularity.touched(writes)) < entries) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.exp(high);
  }
}
