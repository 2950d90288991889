// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.workload.RowState;
import java.util.List;
import java.util.Map;

/**
 * Results of one run of the comparison, with one record for each part. Sizes are in bytes; shares
 * and ratios are plain numbers.
 */
public final class Figures {

  private Figures() {}

  /**
   * Figures of the load, taken after the last flush once no compaction runs or is pending.
   *
   * @param statements statements sent, deletes included
   * @param liveRows rows alive according to the generator
   * @param liveBytes bytes of keys and values of the rows alive
   * @param seconds duration of the load, waits for compactions included
   * @param peakSpace largest ratio of the bytes of all files to the live bytes during the mix
   * @param decisions null for a strategy that does not report them
   */
  public record Load(
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
   * Means over the flushes of the <em>mix</em>, the part of the load after the ordered inserts.
   * Each sample is taken after a flush once compactions have ended. At scales that are judged, the
   * live data grows in it by at least the largest fanout.
   *
   * @param flushes number of these flushes
   * @param growth live bytes at the end divided by those at the start
   * @param flushed bytes flushed
   * @param rewritten bytes that compactions wrote
   * @param meanRuns mean number of SSTables that overlap a token
   * @param maxRuns largest number of SSTables that overlap a token
   * @param candidates99 99th percentile of the SSTables that overlap a token, over all tokens and
   *     samples
   * @param meanSpace mean ratio of the bytes of all files to the live bytes
   * @param hit SSTables per point read of a live row; NaN without such reads
   * @param hitSamples number of samples with such reads
   */
  public record Window(
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
    public double writeAmplification() {
      return flushed == 0 ? 0 : (double) (flushed + rewritten) / flushed;
    }
  }

  /**
   * Numbers of decisions of Coppice's strategy.
   *
   * @param delays deferred merges
   * @param descents merges because a level was full; those of {@code delayed} had at least {@code
   *     vct} SSTables
   * @param readMerges merges requested by reads
   * @param otherMerges merges for other reasons
   */
  public record Decisions(long delays, long descents, long readMerges, long otherMerges) {}

  /**
   * Bytes of the data components of all SSTables ever made, counted in two independent ways.
   *
   * @param flushed flushed bytes by the notifications of Cassandra's tracker
   * @param rewritten bytes written by anything else, by the same notifications
   * @param counterFlushed flushed bytes by Cassandra's own counter
   * @param counterRewritten rewritten bytes by Cassandra's own counter
   * @param unannounced bytes of SSTables seen on disk without any notification
   */
  public record Bytes(
      long flushed, long rewritten, long counterFlushed, long counterRewritten, long unannounced) {}

  /**
   * Numbers of completed operations of the node.
   *
   * @param flushesAsked flushes that the benchmark requested
   * @param flushes flushes that happened
   * @param rewrites compactions that wrote SSTables
   * @param moves SSTables that changed level by metadata alone
   * @param drops number of compactions that only removed SSTables
   */
  public record Work(int flushesAsked, int flushes, int rewrites, int moves, int drops) {}

  /** Numbers of live SSTables and of those that overlap a token, ignoring filters. */
  public record Structure(int tables, double meanOverlap, int maxOverlap) {}

  /**
   * Stalls: periods of more than 100 ms with a pending write and no answer.
   *
   * @param count number of such periods
   * @param millis their total duration
   * @param slowWrites writes that were answered after more than 100 ms
   */
  public record Stalls(int count, long millis, int slowWrites) {}

  /**
   * Mean number of SSTables that a read checks, by Cassandra's own histograms, and the latency of
   * point reads at the client.
   *
   * @param hit SSTables per point read of a live row
   * @param miss SSTables per point read of a key never written
   * @param scan10 SSTables per scan of a token range with ten partitions on average
   * @param p50Micros median latency of point reads of live rows
   * @param p99Micros 99th percentile of the same
   */
  public record Reads(double hit, double miss, double scan10, double p50Micros, double p99Micros) {}

  /**
   * Figures of the major compaction.
   *
   * @param beforeBytes bytes on disk before it
   * @param extraBytes most bytes on disk during it minus those before
   * @param afterBytes bytes on disk after it
   * @param liveBytes keys and values of the rows alive
   * @param seconds its duration
   * @param reads point reads of live rows at a fixed rate during it
   * @param readP99Micros 99th percentile of their latency, counted from the due time of each
   */
  public record Major(
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
   * @param processorSeconds processor time of this process and the node together
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
   * @param wrong number of wrong rows
   * @param examples a few wrong rows in words
   */
  public record Check(String when, Map<RowState, Long> rows, long wrong, List<String> examples) {

    long total() {
      return rows.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
