// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import java.util.List;

/**
 * The change of a table's metrics over an interval.
 *
 * @param seconds the length of the interval
 * @param flushedBytes bytes of tables that flushes wrote
 * @param mergedBytes bytes of tables that merges wrote
 * @param mergeReadBytes bytes that merges read; -1 if unknown
 * @param flushes the number of flushes; -1 if unknown
 * @param reads the number of lookups; -1 if unknown
 * @param writes the number of writes; -1 if unknown
 * @param tablesPerRead mean number of tables that a lookup checked: in the interval if the host
 *     counts them, else as it reports at the end; NaN without lookups
 */
public record Rates(
    double seconds,
    long flushedBytes,
    long mergedBytes,
    long mergeReadBytes,
    long flushes,
    long reads,
    long writes,
    double tablesPerRead) {

  private static final double SECOND_MILLIS = 1000;

  /** The rates without samples. */
  static final Rates NONE = new Rates(0, 0, 0, -1, -1, -1, -1, Double.NaN);

  /**
   * Returns the rates from the last sample at or before an instant, else from the first sample, to
   * the last sample. After a restart of the process, its first sample after the restart counts as
   * the first.
   *
   * @param seen samples, oldest first
   * @param millis the instant, in milliseconds since 1970
   */
  public static Rates since(List<DownsampledHistory.Seen<LiveTable.Figures>> seen, long millis) {
    DownsampledHistory.Seen<LiveTable.Figures> first = null;
    for (DownsampledHistory.Seen<LiveTable.Figures> one : seen) {
      // Counters restart with the process.
      boolean anew = first != null && one.what().flushedBytes() < first.what().flushedBytes();
      if (anew || first == null || one.atMillis() <= millis) {
        first = one;
      }
    }
    return first == null ? NONE : between(first, seen.get(seen.size() - 1));
  }

  /** Returns the rates between two samples of one process without a restart between them. */
  public static Rates between(
      DownsampledHistory.Seen<LiveTable.Figures> first,
      DownsampledHistory.Seen<LiveTable.Figures> last) {
    LiveTable.Figures a = first.what();
    LiveTable.Figures b = last.what();
    long reads = difference(a.reads(), b.reads());
    double tables = b.tablesPerRead();
    if (a.tablesRead() >= 0 && b.tablesRead() >= 0) {
      tables = reads > 0 ? (double) (b.tablesRead() - a.tablesRead()) / reads : Double.NaN;
    }
    return new Rates(
        (last.atMillis() - first.atMillis()) / SECOND_MILLIS,
        Math.max(0, b.flushedBytes() - a.flushedBytes()),
        Math.max(0, b.mergedBytes() - a.mergedBytes()),
        difference(a.mergeReadBytes(), b.mergeReadBytes()),
        difference(a.flushes(), b.flushes()),
        reads,
        difference(a.writes(), b.writes()),
        tables);
  }

  private static long difference(long a, long b) {
    return a < 0 || b < 0 ? -1 : Math.max(0, b - a);
  }

  /** Returns the bytes flushed and merged per byte flushed; NaN if nothing was flushed. */
  public double writeAmplification() {
    return flushedBytes == 0 ? Double.NaN : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }

  /** Returns the bytes that merges wrote per byte that they read; NaN without merges. */
  public double shrinkage() {
    return mergeReadBytes <= 0 ? Double.NaN : (double) mergedBytes / mergeReadBytes;
  }

  /** Returns a count per second; NaN if the count is unknown or the interval is empty. */
  public double perSecond(long count) {
    return count < 0 || seconds <= 0 ? Double.NaN : count / seconds;
  }
}
