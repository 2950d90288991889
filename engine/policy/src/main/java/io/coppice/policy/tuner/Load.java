// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import java.util.ArrayList;
import java.util.List;

/**
 * Recent load of a family or table, averaged by a {@link LoadAverager}. Immutable.
 *
 * @param seconds time that the averages cover: that of an exponential window, at most its length
 * @param writes entries written per second
 * @param writtenBytes bytes of their keys and values per second
 * @param lookups keys looked up per second
 * @param misses lookups per second that found no value
 * @param scans range scans per second
 * @param scanLength mean number of entries that a scan passes
 * @param lookupNanos mean time of a lookup in nanoseconds; 0 if unknown
 * @param distinct the fraction of a sealed memtable's entries that its flush keeps; 1 if unknown
 * @param sameKey probability that two lookups have the same key; 0 if unknown
 * @param flushBytes mean bytes on disk of the tables of a flush; 0 if unknown
 * @param flushEntries mean entries of a flushed memtable; 0 if unknown
 * @param tableBytes bytes on disk of all tables
 * @param tableEntries entries in all tables; 0 if unknown
 */
public record Load(
    double seconds,
    double writes,
    double writtenBytes,
    double lookups,
    double misses,
    double scans,
    double scanLength,
    double lookupNanos,
    double distinct,
    double sameKey,
    double flushBytes,
    double flushEntries,
    long tableBytes,
    long tableEntries) {

  /** Dominant kind of operations. */
  public enum Mix {
    /** Less than one operation per second. */
    IDLE,
    /**
     * At least nine of ten operations read, most of them lookups (threshold of Livernoche's
     * example).
     */
    READ_HEAVY,
    /** At least nine of ten operations read, most of them scans. */
    SCAN_HEAVY,
    /** At least six of ten operations write (threshold of Livernoche's example). */
    WRITE_HEAVY,
    /** Any mix that no other constant describes. */
    MIXED
  }

  /** Distribution of operations over the keys. */
  public enum Keys {
    /** All keys are equally frequent, as far as the averages show. */
    UNIFORM,
    /** A few keys receive a large part of the operations. */
    SKEWED
  }

  private static final double READ_HEAVY_SHARE = 0.9;
  private static final double WRITE_HEAVY_SHARE = 0.6;

  /** Weight of a scan, in lookups, when operation shares are compared. */
  private static final double SCAN_WEIGHT = 10;

  /**
   * Least fraction of the distinct keys expected under equal frequencies. Writes with fewer are
   * skewed.
   */
  private static final double DISTINCT_SHARE = 0.85;

  /**
   * Bound of skewed lookups, as a fraction of the keys: lookups are skewed if keys repeat as often
   * as under equal frequencies of fewer keys than that.
   */
  private static final double FEW_KEYS = 0.02;

  /** Bound of skewed lookups, as a number of keys, if the size of the store is unknown. */
  private static final double FEW_KEYS_AT_ALL = 1000;

  /** Least flush size of a shard, as a fraction of the size under even writes. */
  private static final double MIN_OF_FLUSH = 0.1;

  /** Least probability of equal keys that counts as skew; smaller ones may be chance. */
  private static final double MIN_SAME_KEY = 1e-4;

  /**
   * Divides this load among shards.
   *
   * @param counted load of each shard: bytes written, lookups and scans in any common unit, and
   *     table bytes; lookups and scans are divided evenly if none were counted
   * @return the load of each shard, in the order of {@code counted}; empty if the load has writes
   *     but the counts contain none
   */
  List<Load> parts(List<Load> counted) {
    double written = 0;
    double looked = 0;
    double walked = 0;
    for (Load shard : counted) {
      written += shard.writtenBytes;
      looked += shard.lookups;
      walked += shard.scans;
    }
    if (written == 0 && writes > 0) {
      return List.of();
    }
    List<Load> parts = new ArrayList<>();
    for (Load shard : counted) {
      double alike = 1.0 / counted.size();
      parts.add(
          part(
              written == 0 ? alike : shard.writtenBytes / written,
              looked == 0 ? alike : shard.lookups / looked,
              walked == 0 ? alike : shard.scans / walked,
              shard.tableBytes,
              alike));
    }
    return parts;
  }

  private Load part(double written, double looked, double walked, long bytes, double alike) {
    // A shard with few writes now was still filled by flushes of some size.
    double flushed = Math.max(written, MIN_OF_FLUSH * alike);
    return new Load(
        seconds,
        writes * written,
        writtenBytes * written,
        lookups * looked,
        misses * looked,
        scans * walked,
        scanLength,
        lookupNanos,
        distinct,
        sameKey,
        flushBytes * flushed,
        flushEntries * flushed,
        bytes,
        tableBytes == 0 ? 0 : (long) ((double) tableEntries * bytes / tableBytes));
  }

  /** Returns the dominant kind of operations. */
  public Mix mix() {
    double walks = SCAN_WEIGHT * scans;
    double reads = lookups + walks;
    double all = reads + writes;
    if (all < 1) {
      return Mix.IDLE;
    }
    if (reads >= READ_HEAVY_SHARE * all) {
      return walks >= lookups ? Mix.SCAN_HEAVY : Mix.READ_HEAVY;
    }
    return writes >= WRITE_HEAVY_SHARE * all ? Mix.WRITE_HEAVY : Mix.MIXED;
  }

  /**
   * Returns how writes spread over the keys: {@link Keys#SKEWED} if memtables have clearly fewer
   * distinct keys than equal frequencies would give.
   */
  public Keys writtenKeys() {
    return distinct < DISTINCT_SHARE * distinctIfAlike() ? Keys.SKEWED : Keys.UNIFORM;
  }

  /**
   * Returns how lookups spread over the keys: {@link Keys#SKEWED} if two lookups have the same key
   * clearly more often than equal frequencies would give.
   */
  public Keys readKeys() {
    double few = tableEntries > 0 ? FEW_KEYS * tableEntries : FEW_KEYS_AT_ALL;
    return sameKey >= MIN_SAME_KEY && 1 / sameKey < few ? Keys.SKEWED : Keys.UNIFORM;
  }

  /**
   * Returns the distribution of all operations over the keys: skewed if lookups are, or if writes
   * are and the mix is write-heavy or mixed.
   */
  public Keys keys() {
    boolean writing = mix() == Mix.WRITE_HEAVY || mix() == Mix.MIXED;
    return readKeys() == Keys.SKEWED || (writing && writtenKeys() == Keys.SKEWED)
        ? Keys.SKEWED
        : Keys.UNIFORM;
  }

  /**
   * Returns the expected fraction of distinct keys among q draws from n equally frequent keys:
   * n/q·(1 − e^(−q/n)). New keys only raise the fraction, so a growing store does not look skewed.
   */
  private double distinctIfAlike() {
    if (tableEntries <= 0 || flushEntries <= 0) {
      return 1;
    }
    double draws = flushEntries / tableEntries;
    return -Math.expm1(-draws) / draws;
  }

  /** Returns the number of flushes that fill the store, at least 2. */
  double flushesHeld() {
    return flushBytes <= 0 ? 2 : Math.max(2, tableBytes / flushBytes);
  }
}
