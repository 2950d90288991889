// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What a load costs on a rung, in cores that it keeps busy, or disks where a lookup waits for one:
 * the formula of {@code docs/policies/adaptive.md}. Constants are of one core of 2020; only how
 * they stand to each other matters.
 */
final class CostModel {

  /** A byte that is merged: read, compared, written. */
  static final double MERGED_BYTE = 10e-9;

  /** A byte that is written: log, memtable and flush. */
  private static final double WRITTEN_BYTE = 20e-9;

  /** A run that a lookup passes: find its table, ask its filter. */
  private static final double PASSED_RUN = 150e-9;

  /** Of absent keys so many pass a filter of 10 bits, and cost a block. */
  private static final double FALSE_POSITIVES = 1.0 / 256;

  /** A lookup whose block is in memory. */
  private static final double LOOKUP = 2e-6;

  /** The first block of a run that a walk opens. */
  private static final double SOUGHT_RUN = 3e-6;

  /** An entry that a walk passes, for each doubling of the runs that it merges. */
  private static final double PASSED_ENTRY = 25e-9;

  /** A lookup of a hot key finds it in a newer run than one of any key. */
  private static final double RUNS_OF_SKEWED_LOOKUP = 0.5;

  /** By how much merging shrinks for each share of entries that a memtable already dropped. */
  private static final double MERGING_SAVED_BY_SKEW = 1.43;

  private static final double LEAST_MERGING = 0.2;

  private static final double NANOS = 1e9;

  private CostModel() {}

  /** Cores kept busy by the load on a rung. */
  static double cores(Load load, Rung rung) {
    double flushes = load.flushesHeld();
    double merged = rung.form().merges(flushes) * merging(load) * load.distinct();
    return cores(load, rung.form().runs(flushes), load.writtenBytes() * merged);
  }

  /**
   * The same where it is known what merges do.
   *
   * @param runs that hold a key's range
   * @param mergedBytes that merges write a second
   */
  static double cores(Load load, double runs, double mergedBytes) {
    double block = Math.max(LOOKUP, load.lookupNanos() / NANOS);
    double passed = (runs - 1) * (PASSED_RUN + FALSE_POSITIVES * block);
    double hits = load.lookups() - load.misses();
    double met = load.readKeys() == Load.Keys.SKEWED ? RUNS_OF_SKEWED_LOOKUP : 1;
    double entries = load.scanLength() * PASSED_ENTRY * log2(1 + runs);
    return load.writtenBytes() * WRITTEN_BYTE
        + mergedBytes * MERGED_BYTE
        + load.lookups() * block
        + hits * met * passed
        + load.misses() * passed
        + load.scans() * (runs * Math.max(SOUGHT_RUN, block) + entries);
  }

  /** The share of a uniform load's merging that is left where keys come again and again. */
  private static double merging(Load load) {
    return load.writtenKeys() == Load.Keys.UNIFORM
        ? 1
        : Math.max(LEAST_MERGING, 1 - MERGING_SAVED_BY_SKEW * (1 - load.distinct()));
  }

  /** Bytes that merges of a rung may need for each byte flushed, with room to spare. */
  static double mergesPaid(Load load, Rung rung) {
    return 2 * rung.form().merges(load.flushesHeld());
  }

  private static double log2(double x) {
    return Math.log(x) / Math.log(2);
  }
}
