// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.spec.AdaptiveRung;

/**
 * Cost of a load on a rung, in busy cores, or in busy disks where a lookup waits for one. It
 * implements the formula of {@code docs/policies/adaptive.md}. The constants were measured on one
 * processor core of 2020; only their ratios matter.
 */
public final class CostModel {

  /** Seconds to merge a byte: read, compare and write it. */
  static final double MERGED_BYTE = 10e-9;

  /** Seconds to write a byte to log, memtable and flush. */
  private static final double WRITTEN_BYTE = 20e-9;

  /**
   * Seconds that a lookup spends on each run without its key: it finds the table and checks its
   * filter.
   */
  private static final double PASSED_RUN = 150e-9;

  /**
   * False-positive rate of a filter with 10 bits per key. Each false positive costs one block read.
   */
  private static final double FALSE_POSITIVES = 1.0 / 256;

  /** Seconds of a lookup whose block is in memory. */
  private static final double LOOKUP = 2e-6;

  /** Seconds to read the first block of a run that a scan opens. */
  private static final double SOUGHT_RUN = 3e-6;

  /**
   * Seconds for each entry of a scan; multiplied by the binary logarithm of one plus the number of
   * merged runs.
   */
  private static final double PASSED_ENTRY = 25e-9;

  /**
   * Runs that a lookup of a hot key checks, as a fraction of those for an average key. Hot keys are
   * in newer runs.
   */
  private static final double RUNS_OF_SKEWED_LOOKUP = 0.5;

  /**
   * Slope of the merge work saved by skew: the work falls by this factor times the fraction of
   * entries that flushes drop as duplicates.
   */
  private static final double MERGING_SAVED_BY_SKEW = 1.43;

  private static final double MIN_MERGING = 0.2;

  private static final double NANOS = 1e9;

  private CostModel() {}

  /** Returns the cores that the load keeps busy on a rung, with merge work by the rung's model. */
  static double cores(Load load, AdaptiveRung rung) {
    double flushes = load.flushesHeld();
    double merged = rung.model().merges(flushes) * merging(load) * load.distinct();
    return cores(load, rung.model().runs(flushes), load.writtenBytes() * merged);
  }

  /**
   * Returns the cores that the load keeps busy, given measured merge work.
   *
   * @param runs mean number of runs that overlap a key
   * @param mergedBytes bytes that merges write per second
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

  /** Returns the merge work under repeated keys, as a fraction of that under uniform keys. */
  private static double merging(Load load) {
    return load.writtenKeys() == Load.Keys.UNIFORM
        ? 1
        : Math.max(MIN_MERGING, 1 - MERGING_SAVED_BY_SKEW * (1 - load.distinct()));
  }

  /**
   * Returns the bytes that merges of a rung may read for each byte flushed: twice what they write
   * by the rung's model.
   */
  public static double mergesPaid(Load load, AdaptiveRung rung) {
    return 2 * rung.model().merges(load.flushesHeld());
  }

  private static double log2(double x) {
    return Math.log(x) / Math.log(2);
  }
}
