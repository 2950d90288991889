// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * How a family or table is used of late, as an {@link Analyser} averages it. A value.
 *
 * @param seconds how much time the averages stand for; an exponential window, so never more than
 *     its length
 * @param writes entries written a second
 * @param writtenBytes bytes of their keys and values a second
 * @param lookups keys looked up a second
 * @param misses of these, not found
 * @param scans ranges walked a second
 * @param scanLength entries that a walk passes, on average
 * @param lookupNanos what a lookup takes, on average; 0 if not known
 * @param distinct the share of a sealed memtable's entries that its flush keeps; 1 if not known
 * @param sameKey how often two lookups have the same key; 0 if not known
 * @param flushBytes bytes of a flush, on average; 0 if not known
 * @param flushEntries entries of a memtable that was flushed, on average; 0 if not known
 * @param tableBytes bytes of all tables
 * @param tableEntries entries in them; 0 if not known
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

  /** What it mostly does. */
  public enum Mix {
    /** Less than one operation a second. */
    IDLE,
    /** At least nine of ten operations read, most by lookups (Livernoche's example). */
    READ_HEAVY,
    /** At least nine of ten operations read, most by walking ranges. */
    SCAN_HEAVY,
    /** At least six of ten operations write (Livernoche's example). */
    WRITE_HEAVY,
    /** Neither. */
    MIXED
  }

  /** How its operations share the keys. */
  public enum Keys {
    /** All alike, as far as can be seen. */
    UNIFORM,
    /** A few keys take a large part. */
    SKEWED
  }

  private static final double READ_HEAVY_SHARE = 0.9;
  private static final double WRITE_HEAVY_SHARE = 0.6;

  /** A walk weighs as so many lookups when shares of operations are compared. */
  private static final double SCAN_WEIGHT = 10;

  /** Fewer entries left by a flush than this share of what alike keys would leave is skew. */
  private static final double DISTINCT_SHARE = 0.85;

  /** Lookups that meet as often as if they went to less than this share of the keys are skewed. */
  private static final double FEW_KEYS = 0.02;

  /** Of a store whose size is not known. */
  private static final double FEW_KEYS_AT_ALL = 1000;

  /** What a shard has of a flush at least, of what all would have alike. */
  private static final double LEAST_OF_FLUSH = 0.1;

  /** Fewer equal pairs a window than this may be chance; a share, as pairs are many. */
  private static final double LEAST_SAME_KEY = 1e-4;

  /**
   * What shards have of it.
   *
   * @param counted of each what it has of bytes written, lookups and scans in some measure, and of
   *     tables; lookups and scans all alike if there are none
   * @return none if all are written, yet no flush tells where
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
    // What is hardly written now came in flushes of some size.
    double flushed = Math.max(written, LEAST_OF_FLUSH * alike);
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

  /** What it mostly does. */
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

  /** How writes share the keys. */
  public Keys writtenKeys() {
    return distinct < DISTINCT_SHARE * distinctIfAlike() ? Keys.SKEWED : Keys.UNIFORM;
  }

  /** How lookups share the keys. */
  public Keys readKeys() {
    double few = tableEntries > 0 ? FEW_KEYS * tableEntries : FEW_KEYS_AT_ALL;
    return sameKey >= LEAST_SAME_KEY && 1 / sameKey < few ? Keys.SKEWED : Keys.UNIFORM;
  }

  /** How operations share the keys: skewed if lookups are, or writes where they weigh. */
  public Keys keys() {
    boolean writing = mix() == Mix.WRITE_HEAVY || mix() == Mix.MIXED;
    return readKeys() == Keys.SKEWED || (writing && writtenKeys() == Keys.SKEWED)
        ? Keys.SKEWED
        : Keys.UNIFORM;
  }

  /**
   * The share of distinct keys among q draws from n: n/q·(1 − e^(−q/n)). New keys are more of them
   * still, so a store that grows is not taken for skewed.
   */
  private double distinctIfAlike() {
    if (tableEntries <= 0 || flushEntries <= 0) {
      return 1;
    }
    double draws = flushEntries / tableEntries;
    return -Math.expm1(-draws) / draws;
  }

  /** Flushes that fill the store, at least 2. */
  double flushesHeld() {
    return flushBytes <= 0 ? 2 : Math.max(2, tableBytes / flushBytes);
  }
}
