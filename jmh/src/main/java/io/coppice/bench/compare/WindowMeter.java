// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.compare.report.Figures;
import java.util.Arrays;
import java.util.List;

/**
 * Meter of figures that vary from flush to flush under geometric strategies. It takes means over
 * many flushes, with one sample after each, once the node has no compaction. Used by one thread.
 */
final class WindowMeter {

  /** Quantile of the tokens, as a share, that {@link #candidates99} returns. */
  private static final double NEARLY_ALL = 0.99;

  private boolean begun;
  private long flushedBefore;
  private long rewrittenBefore;
  private long liveBefore;
  private int samples;
  private double[] shares = {};
  private double runs;
  private int maxRuns;
  private double space;
  private double hits;
  private int hitSamples;

  boolean hasBegun() {
    return begun;
  }

  /**
   * Begins the measurement before its first flush, while no compaction runs.
   *
   * @param flushed bytes flushed since the table was created
   * @param rewritten bytes that compactions wrote since the table was created
   * @param liveBytes bytes of the rows alive now
   */
  void begin(long flushed, long rewritten, long liveBytes) {
    begun = true;
    flushedBefore = flushed;
    rewrittenBefore = rewritten;
    liveBefore = liveBytes;
  }

  /**
   * Records a sample after a flush, while no compaction runs.
   *
   * @param depths shares of the token ring by the number of SSTables that overlap a token
   * @param spaceBytes bytes of all SSTables
   * @param liveBytes bytes of live data in them
   */
  void rest(List<Double> depths, long spaceBytes, long liveBytes) {
    samples++;
    space += (double) spaceBytes / liveBytes;
    maxRuns = Math.max(maxRuns, depths.size() - 1);
    shares = Arrays.copyOf(shares, Math.max(shares.length, depths.size()));
    for (int depth = 0; depth < depths.size(); depth++) {
      shares[depth] += depths.get(depth);
      runs += depth * depths.get(depth);
    }
  }

  /** Adds the mean number of SSTables per read from a small sample of reads. */
  void hits(double mean) {
    hits += mean;
    hitSamples++;
  }

  /**
   * Returns the figures between {@link #begin} and now; at least one sample must exist.
   *
   * @param flushed bytes flushed since the table was created
   * @param rewritten bytes that compactions wrote since the table was created
   * @param liveBytes bytes of the rows alive now
   */
  Figures.Window end(long flushed, long rewritten, long liveBytes) {
    return new Figures.Window(
        samples,
        (double) liveBytes / liveBefore,
        flushed - flushedBefore,
        rewritten - rewrittenBefore,
        runs / samples,
        maxRuns,
        candidates99(),
        space / samples,
        hitSamples == 0 ? Double.NaN : hits / hitSamples,
        hitSamples);
  }

  /**
   * Returns the 99th percentile of the number of SSTables that overlap a token, over all tokens and
   * samples.
   */
  private int candidates99() {
    double sum = 0;
    for (int depth = 0; depth < shares.length; depth++) {
      sum += shares[depth];
      if (sum >= NEARLY_ALL * samples) {
        return depth;
      }
    }
    return maxRuns;
  }
}
