// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

import io.coppice.simulator.keys.Popularity;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.List;

/**
 * Expected load of a live store.
 *
 * @param keys number of distinct keys, among which writes choose; far above the number of entries
 *     if no key is written twice
 * @param exponent exponent of Zipf's law for the popularity of the keys; 0 if all are equally
 *     likely
 * @param deletes share of the flushed entries that delete a key, from 0 to 0.99; the deleted keys
 *     exist, and are equally likely within a class
 * @param entryBytes bytes of an entry with a value on disk
 * @param flushEntries entries per flush, deletions included, at least 1
 * @param flushes number of flushes, at least 1
 * @param readsAFlush lookups from one flush to the next; they request merges of virtual segments
 * @param seed seed of all random numbers
 */
public record LiveLoad(
    double keys,
    double exponent,
    double deletes,
    double entryBytes,
    double flushEntries,
    int flushes,
    int readsAFlush,
    long seed) {

  /** Halvings in the search for a number of keys. */
  private static final int HALVINGS = 60;

  /** Largest share of deletions that a load may have. */
  private static final double MAX_DELETES = 0.99;

  /** Share of deletions of a load whose newest tables have none. */
  private static final double MIN_DELETES = 1e-9;

  /** Most keys that the search considers, as a multiple of the writes. */
  private static final double MAX_FACTOR = 1e6;

  /**
   * Returns the mean bytes of an entry with a value.
   *
   * @param bytes bytes of all entries on disk
   * @param entries number of entries, deletions included, at least 1
   * @param deletions number of deletions among them; more than 99 % count as 99 %
   */
  public static double entryBytes(long bytes, long entries, long deletions) {
    double bounded = Math.min(deletions, MAX_DELETES * entries);
    double ofValues = bytes - WriteWorkload.DELETION_BYTES * bounded;
    return Math.max(1, Math.max((double) bytes / entries, ofValues / (entries - bounded)));
  }

  /**
   * Returns the mean bytes of a flushed entry.
   *
   * @param entryBytes bytes of an entry with a value
   * @param deletes share of the flushed entries that delete a key
   */
  public static double flushEntryBytes(double entryBytes, double deletes) {
    return entryBytes * (1 - deletes + deletes * WriteWorkload.deletionWeight(entryBytes));
  }

  /**
   * Returns the share of deletions among the flushed entries: that of the tables of the lowest
   * level number, because merges into deeper levels drop deletions. It is positive if any table has
   * a deletion, because the model then tells deletions from values.
   */
  public static double deletes(List<LiveSlice> slices) {
    int newest = slices.stream().mapToInt(LiveSlice::level).min().orElse(0);
    double entries = 0;
    double deletions = 0;
    double least = 0;
    for (LiveSlice slice : slices) {
      least = slice.deletions() > 0 ? MIN_DELETES : least;
      if (slice.level() == newest) {
        entries += slice.entries();
        deletions += slice.deletions();
      }
    }
    return Math.max(least, Math.min(MAX_DELETES, deletions / Math.max(1, entries)));
  }

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
      Popularity popularity = LiveModel.popularity(exponent, 0, 1, Math.exp(middle));
      if (popularity.entries(popularity.touched(writes)) < entries) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.exp(high);
  }
}
