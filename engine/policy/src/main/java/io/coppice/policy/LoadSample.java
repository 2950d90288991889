// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * What a host has counted of the use of one family or table up to an instant. All but its sizes
 * only grow, from any beginning: an {@link Analyser} looks at differences, so a sample that is lost
 * does no harm, and numbers that a host does not know stay 0.
 *
 * @param nanos when, on any clock that does not go back
 * @param writes entries written
 * @param writtenBytes their keys and values
 * @param lookups keys looked up
 * @param misses those of them that were not found
 * @param scans ranges walked
 * @param scannedEntries entries that the walks passed
 * @param lookupNanos what all lookups took together
 * @param flushes memtables that became tables
 * @param flushedBytes bytes of these tables
 * @param sealedEntries entries in those memtables
 * @param flushedEntries entries that the tables have of them, as overwritten ones go
 * @param keyPairs pairs of lookups of which it was seen whether they have the same key
 * @param equalPairs pairs that have, see {@link KeyPairs}
 * @param tableBytes bytes of all tables now
 * @param tableEntries entries in them
 * @param shards the same by {@link Shards}, the lowest keys first, see {@link #ofShard}; empty
 *     where that is not counted
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

  /** How many of the numbers only grow. */
  static final int GROWING = 13;

  /** Copies the list. */
  public LoadSample {
    shards = List.copyOf(shards);
  }

  /**
   * What belongs to one shard. Only the shares that shards have of a sum matter, so a part of it
   * may be counted.
   *
   * @param flushedBytes bytes of flushes
   * @param lookups keys looked up
   * @param scans ranges walked, by where they begin
   * @param tableBytes bytes of tables now
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

  /** The numbers that only grow, in the order of the components, without the time. */
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
