// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.workload.RowState;
import java.util.List;
import java.util.Map;

/** What one run measured, part by part. Bytes are bytes; shares and ratios are plain numbers. */
final class Figures {

  private Figures() {}

  /**
   * The load, taken after the last flush and when nothing was pending.
   *
   * @param statements sent, deletes included
   * @param flushedBytes data of all SSTables that flushes made, as the tracker told
   * @param rewrittenBytes data of all SSTables that anything else made
   * @param counterFlushed the same flushes by Cassandra's own counter
   * @param counterRewritten the same rewrites by Cassandra's own counter
   * @param unannouncedBytes data seen on disk that the tracker never told about
   */
  record Load(
      long statements,
      int flushesAsked,
      int flushes,
      long flushedBytes,
      long rewrittenBytes,
      long counterFlushed,
      long counterRewritten,
      long unannouncedBytes,
      int rewrites,
      int moves,
      int drops,
      int tables,
      double meanOverlap,
      int maxOverlap,
      double meanSpace,
      double peakSpace,
      long liveRows,
      long liveBytes,
      double seconds,
      Stalls stalls) {

    /** Bytes flushed and rewritten over bytes flushed. */
    double writeAmplification() {
      return flushedBytes == 0 ? 0 : (double) (flushedBytes + rewrittenBytes) / flushedBytes;
    }
  }

  /**
   * Times in which no write was answered for over 100 ms although one was under way.
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
   * The major compaction.
   *
   * @param extraBytes most bytes on disk during it, less those before
   */
  record Major(long beforeBytes, long extraBytes, long afterBytes, double seconds) {

    double extraPercent() {
      return beforeBytes == 0 ? 0 : 100.0 * extraBytes / beforeBytes;
    }
  }

  /**
   * One reading back of a sample against the generator.
   *
   * @param rows compared, by what the generator expects
   * @param examples a few wrong rows in words
   */
  record Check(String when, Map<RowState, Long> rows, long wrong, List<String> examples) {

    long total() {
      return rows.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
