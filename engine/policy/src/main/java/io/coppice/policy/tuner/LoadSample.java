// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.ShardBounds;
import java.util.List;

/**
 * Counters of the use of a family or table, read by a host at one instant. All values except {@code
 * tableBytes} and {@code tableEntries} only grow, from any start. A {@link LoadAverager} uses their
 * differences, so a lost sample does no harm. Values that a host does not count stay 0.
 *
 * @param nanos time of the sample on any monotonic clock, in nanoseconds
 * @param writes entries written
 * @param writtenBytes bytes of their keys and values
 * @param lookups keys looked up
 * @param misses lookups that found no value
 * @param scans range scans
 * @param scannedEntries entries that the scans passed
 * @param lookupNanos total time of all lookups in nanoseconds
 * @param flushes memtables flushed to tables
 * @param flushedBytes bytes on disk of these tables
 * @param sealedEntries entries in those memtables
 * @param flushedEntries entries that the tables received from them; overwritten ones are dropped
 * @param keyPairs pairs of lookups whose keys were compared
 * @param equalPairs pairs with equal keys, see {@link LookupSkew}
 * @param tableBytes bytes on disk of all tables now
 * @param tableEntries entries in all tables now
 * @param shards samples by {@link ShardBounds}, the lowest keys first, see {@link #ofShard}; empty
 *     if the host does not count them
 */
public record LoadSample(
    long nanos,
    long writes,
    long writtenBytes,
    long lookups,
    long misses,
    long scans,
    long scannedEntries,
    long lookupNanos,
    long flushes,
    long flushedBytes,
    long sealedEntries,
    long flushedEntries,
    long keyPairs,
    long equalPairs,
    long tableBytes,
    long tableEntries,
    List<LoadSample> shards) {

  /** Number of values in {@link #growing}. */
  static final int GROWING = 13;

  /** Copies the list of shards. */
  public LoadSample {
    shards = List.copyOf(shards);
  }

  /**
   * Creates the sample of one shard. Only the ratios between shards matter, so a host may count
   * only some of the operations.
   *
   * @param flushedBytes bytes that flushes wrote to the shard
   * @param lookups keys looked up
   * @param scans range scans that begin in the shard
   * @param tableBytes bytes on disk of its tables now
   */
  public static LoadSample ofShard(
      long nanos, long flushedBytes, long lookups, long scans, long tableBytes) {
    return new LoadSample(
        nanos,
        0,
        flushedBytes,
        lookups,
        0,
        scans,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        tableBytes,
        0,
        List.of());
  }

  /** Returns the values that only grow, except the time, in the order of the components. */
  long[] growing() {
    return new long[] {
      writes,
      writtenBytes,
      lookups,
      misses,
      scans,
      scannedEntries,
      lookupNanos,
      flushes,
      flushedBytes,
      sealedEntries,
      flushedEntries,
      keyPairs,
      equalPairs
    };
  }
}
