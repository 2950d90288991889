// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.tuner.LoadSample;
import java.util.List;

/**
 * A host whose load is steady for a while: it counts on from sample to sample. Entries have 100
 * bytes; a flush comes with every so many of them.
 */
public final class SteadyLoad {

  public static final long SECOND = 1_000_000_000L;
  public static final int ENTRY_BYTES = 100;
  public static final int FLUSH_ENTRIES = 40_000;
  public static final long TABLE_ENTRIES = 10_000_000;

  private long nanos;
  private double writes;
  private double lookups;
  private double misses;
  private double scans;
  private long flushes;
  private double left;
  private double pairs;
  private double equal;

  /** What is done in a second. */
  public record Rates(
      double writes, double lookups, double misses, double scans, double distinct, double sameKey) {

    public static Rates writing(double writes) {
      return new Rates(writes, 0, 0, 0, 1, 0);
    }

    public static Rates reading(double lookups) {
      return new Rates(0, lookups, 0, 0, 1, 0);
    }

    public static Rates scanning(double scans) {
      return new Rates(0, 0, 0, scans, 1, 0);
    }

    public static Rates mixed(double writes, double lookups) {
      return new Rates(writes, lookups, 0, 0, 1, 0);
    }

    /** Zipf's law, as a memtable and a sample of lookups show it. */
    public Rates skewed() {
      return new Rates(writes, lookups, misses, scans, 0.6, 0.008);
    }
  }

  /** The sample after so many seconds of a load. */
  public LoadSample after(double seconds, Rates rates) {
    nanos += (long) (seconds * SECOND);
    writes += seconds * rates.writes;
    lookups += seconds * rates.lookups;
    misses += seconds * rates.misses;
    scans += seconds * rates.scans;
    long flushed = (long) (writes / FLUSH_ENTRIES) - flushes;
    flushes += flushed;
    left += flushed * FLUSH_ENTRIES * rates.distinct;
    double sampled = rates.lookups > 0 ? seconds * 1e6 : 0;
    pairs += sampled;
    equal += sampled * rates.sameKey;
    return now();
  }

  public LoadSample now() {
    return new LoadSample(
        nanos,
        (long) writes,
        (long) (writes * ENTRY_BYTES),
        (long) lookups,
        (long) misses,
        (long) scans,
        (long) (scans * 100),
        (long) (lookups * 1500),
        flushes,
        (long) (left * ENTRY_BYTES),
        flushes * FLUSH_ENTRIES,
        (long) left,
        (long) pairs,
        (long) equal,
        TABLE_ENTRIES * ENTRY_BYTES,
        TABLE_ENTRIES,
        List.of());
  }
}
