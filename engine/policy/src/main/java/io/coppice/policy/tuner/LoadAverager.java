// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import org.jspecify.annotations.Nullable;

/**
 * Decaying averages over samples of a load. The differences of the counters and the time between
 * samples decay by the same factor, e^(−seconds/window). A rate is the quotient of two such sums,
 * so samples at irregular times weigh as long as they lasted. The class has no clock; equal samples
 * give equal averages. Not thread-safe.
 */
public final class LoadAverager {

  private static final double NANOS = 1e9;

  // Indexes into LoadSample.growing.
  private static final int WRITES = 0;
  private static final int WRITTEN_BYTES = 1;
  private static final int LOOKUPS = 2;
  private static final int MISSES = 3;
  private static final int SCANS = 4;
  private static final int SCANNED_ENTRIES = 5;
  private static final int LOOKUP_NANOS = 6;
  private static final int FLUSHES = 7;
  private static final int FLUSHED_BYTES = 8;
  private static final int SEALED_ENTRIES = 9;
  private static final int FLUSHED_ENTRIES = 10;
  private static final int KEY_PAIRS = 11;
  private static final int EQUAL_PAIRS = 12;

  private final double[] sums = new double[LoadSample.GROWING];
  private double seconds;
  private @Nullable LoadSample last;

  // Averages of recent flushes; a window without flushes keeps the last values.
  private double flushBytes;
  private double flushEntries;
  private double distinct = 1;

  /**
   * Adds a sample to the averages. A sample whose time or counters are below those of the previous
   * one, as after a restart of the host, only becomes the base of the next one.
   *
   * @param windowSeconds window of the averages in seconds, above 0
   * @return the load including this sample; after the first sample only the sizes are known
   */
  public Load add(LoadSample sample, double windowSeconds) {
    if (last != null && isAfter(sample, last)) {
      double elapsed = (sample.nanos() - last.nanos()) / NANOS;
      double kept = Math.exp(-elapsed / windowSeconds);
      // The growth decays as if it had arrived evenly between the two samples.
      double taken = elapsed == 0 ? 1 : (1 - kept) * windowSeconds / elapsed;
      long[] before = last.growing();
      long[] now = sample.growing();
      seconds = seconds * kept + elapsed * taken;
      for (int i = 0; i < sums.length; i++) {
        sums[i] = sums[i] * kept + (now[i] - before[i]) * taken;
      }
      if (now[FLUSHES] > before[FLUSHES]) {
        flushBytes = share(sums[FLUSHED_BYTES], sums[FLUSHES], flushBytes);
        flushEntries = share(sums[SEALED_ENTRIES], sums[FLUSHES], flushEntries);
        distinct = share(sums[FLUSHED_ENTRIES], sums[SEALED_ENTRIES], distinct);
      }
    }
    last = sample;
    return load(sample);
  }

  /**
   * Returns whether no counter of the sample is below that of the earlier one. Counters go back
   * when a host restarts.
   */
  private static boolean isAfter(LoadSample sample, LoadSample before) {
    long[] now = sample.growing();
    long[] then = before.growing();
    for (int i = 0; i < now.length; i++) {
      if (now[i] < then[i]) {
        return false;
      }
    }
    return sample.nanos() >= before.nanos();
  }

  private Load load(LoadSample sample) {
    double lookups = sums[LOOKUPS];
    return new Load(
        seconds,
        rate(sums[WRITES]),
        rate(sums[WRITTEN_BYTES]),
        rate(lookups),
        rate(sums[MISSES]),
        rate(sums[SCANS]),
        share(sums[SCANNED_ENTRIES], sums[SCANS], 0),
        share(sums[LOOKUP_NANOS], lookups, 0),
        distinct,
        share(sums[EQUAL_PAIRS], sums[KEY_PAIRS], 0),
        flushBytes,
        flushEntries,
        sample.tableBytes(),
        sample.tableEntries());
  }

  private double rate(double sum) {
    return seconds == 0 ? 0 : sum / seconds;
  }

  private static double share(double part, double whole, double otherwise) {
    return whole == 0 ? otherwise : part / whole;
  }
}
