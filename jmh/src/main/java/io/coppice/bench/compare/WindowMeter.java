// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.util.Arrays;
import java.util.List;

/**
 * Takes the figures that geometric strategies let swing as means over many flushes: one sample
 * after each flush of the window, when the node has come to rest. One thread.
 */
final class WindowMeter {

  /** Share of the reads at or below the reported number of SSTables. */
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
   * Begins the window before its first flush, while the node is at rest.
   *
   * @param flushed bytes ever flushed
   * @param rewritten bytes that compactions ever wrote
   */
  void begin(long flushed, long rewritten, long liveBytes) {
    begun = true;
    flushedBefore = flushed;
    rewrittenBefore = rewritten;
    liveBefore = liveBytes;
  }

  /**
   * Records the node at rest after a flush of the window.
   *
   * @param depths shares of the token ring by the number of SSTables over a token
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

  /** Adds the mean number of SSTables per read of a small sample. */
  void hits(double mean) {
    hits += mean;
    hitSamples++;
  }

  /**
   * Returns the figures of the window, which must have begun. The parameters are those of {@link
   * #begin}.
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
   * Returns the number of runs over a token that only one token in a hundred exceeds, over all
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
