// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.workload.RowState;
import java.util.List;
import java.util.Map;

/** Figures of one run, part by part. Sizes are in bytes; shares and ratios are plain numbers. */
final class Figures {

  private Figures() {}

  /**
   * The load, taken after the last flush and when nothing was pending.
   *
   * @param statements sent, deletes included
   * @param liveRows rows alive by the generator
   * @param liveBytes keys and values of the rows alive
   * @param decisions null for a strategy that does not tell
   */
  record Load(
      long statements,
      long liveRows,
      long liveBytes,
      double seconds,
      Bytes bytes,
      Work work,
      Structure structure,
      double peakSpace,
      Stalls stalls,
      Window window,
      Decisions decisions) {}

  /**
   * Means over the flushes of the mix. At judged scales the live data grows by at least the largest
   * fanout. Each sample is taken after a flush, at rest.
   *
   * @param growth live bytes at the end over those at the start
   * @param flushed bytes flushed in it
   * @param rewritten bytes that compactions wrote in it
   * @param meanRuns SSTables over a token
   * @param candidates99 SSTables over a token, exceeded for one token and sample in a hundred
   * @param meanSpace bytes of all files over live bytes
   * @param hit SSTables per point read of a live row; not a number if none was made
   * @param hitSamples number of samples with such reads
   */
  record Window(
      int flushes,
      double growth,
      long flushed,
      long rewritten,
      double meanRuns,
      int maxRuns,
      int candidates99,
      double meanSpace,
      double hit,
      int hitSamples) {

    /** Returns the bytes flushed and rewritten, divided by the bytes flushed. */
    double writeAmplification() {
      return flushed == 0 ? 0 : (double) (flushed + rewritten) / flushed;
    }
  }

  /**
   * Decisions of our strategy.
   *
   * @param delays deferred merges
   * @param descents merges because a level was full; those of {@code delayed} reached its {@code
   *     vct}
   * @param readMerges merges that reads asked for
   * @param otherMerges merges for other reasons
   */
  record Decisions(long delays, long descents, long readMerges, long otherMerges) {}

  /**
   * Data components of all SSTables ever made, twice.
   *
   * @param flushed made by flushes, as the tracker told
   * @param rewritten made by anything else, as the tracker told
   * @param counterFlushed the same flushes by Cassandra's own counter
   * @param counterRewritten the same rewrites by Cassandra's own counter
   * @param unannounced seen on disk and never told about by the tracker
   */
  record Bytes(
      long flushed, long rewritten, long counterFlushed, long counterRewritten, long unannounced) {}

  /**
   * Counts of completed work.
   *
   * @param rewrites compactions that wrote
   * @param moves SSTables that changed level by metadata alone
   * @param drops compactions that only removed
   */
  record Work(int flushesAsked, int flushes, int rewrites, int moves, int drops) {}

  /** Live SSTables, and how many of them lie over a token, filters ignored. */
  record Structure(int tables, double meanOverlap, int maxOverlap) {}

  /**
   * Stalls: times of over 100 ms with a pending write and no answer.
   *
   * @param slowWrites writes that were answered after more than 100 ms
   */
  record Stalls(int count, long millis, int slowWrites) {}

  /**
   * SSTables touched per read by Cassandra's own histograms, and latency of point hits at the
   * client.
   */
  record Reads(double hit, double miss, double scan10, double p50Micros, double p99Micros) {}

  /**
   * Figures of the major compaction.
   *
   * @param extraBytes most bytes on disk during it, less those before
   * @param liveBytes keys and values of the rows alive
   * @param reads point reads of live rows at a fixed rate during the compaction
   * @param readP99Micros their latency, from the due time of each
   */
  record Major(
      long beforeBytes,
      long extraBytes,
      long afterBytes,
      long liveBytes,
      double seconds,
      long reads,
      double readP99Micros) {

    double extraPercent() {
      return beforeBytes == 0 ? 0 : 100.0 * extraBytes / beforeBytes;
    }

    double extraPercentOfLive() {
      return liveBytes == 0 ? 0 : 100.0 * extraBytes / liveBytes;
    }

    double megabytesPerSecond() {
      return beforeBytes / 1e6 / seconds;
    }
  }

  /**
   * Time of one phase of a run.
   *
   * @param processorSeconds of this process and the node together
   */
  record PhaseTime(double seconds, double processorSeconds) {

    PhaseTime plus(PhaseTime other) {
      return new PhaseTime(seconds + other.seconds, processorSeconds + other.processorSeconds);
    }
  }

  /**
   * Result of one comparison of a sample with the generator.
   *
   * @param rows number of compared rows per state that the generator expects
   * @param examples a few wrong rows in words
   */
  record Check(String when, Map<RowState, Long> rows, long wrong, List<String> examples) {

    long total() {
      return rows.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
