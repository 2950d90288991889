// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.util.List;

/**
 * What a table's figures say about a stretch of time.
 *
 * @param seconds how long it was
 * @param flushedBytes that flushes wrote meanwhile
 * @param mergedBytes that merges wrote
 * @param flushes how many flushes; -1 if nobody counts them
 * @param reads lookups; -1 likewise
 * @param writes writes; -1 likewise
 * @param tablesPerRead that a lookup looked into; not a number if there was none
 */
record Rates(
    double seconds,
    long flushedBytes,
    long mergedBytes,
    long flushes,
    long reads,
    long writes,
    double tablesPerRead) {

  private static final double SECOND_MILLIS = 1000;

  /** Nothing was seen. */
  static final Rates NONE = new Rates(0, 0, 0, -1, -1, -1, Double.NaN);

  /**
   * Of the time since an instant.
   *
   * @param seen oldest first
   */
  static Rates since(List<Thinned.Seen<LiveTable.Figures>> seen, long millis) {
    Thinned.Seen<LiveTable.Figures> first = null;
    for (Thinned.Seen<LiveTable.Figures> one : seen) {
      // Counters begin anew with the process.
      boolean anew = first != null && one.what().flushedBytes() < first.what().flushedBytes();
      if (anew || first == null || one.atMillis() <= millis) {
        first = one;
      }
    }
    return first == null ? NONE : between(first, seen.get(seen.size() - 1));
  }

  /** Of the time between two looks. */
  static Rates between(
      Thinned.Seen<LiveTable.Figures> first, Thinned.Seen<LiveTable.Figures> last) {
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
        difference(a.flushes(), b.flushes()),
        reads,
        difference(a.writes(), b.writes()),
        tables);
  }

  private static long difference(long a, long b) {
    return a < 0 || b < 0 ? -1 : Math.max(0, b - a);
  }

  /** Bytes flushed and merged for each byte flushed; not a number if nothing was flushed. */
  double writeAmplification() {
    return flushedBytes == 0 ? Double.NaN : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }

  /** So many a second; not a number if nobody counts or nothing was seen. */
  double perSecond(long count) {
    return count < 0 || seconds <= 0 ? Double.NaN : count / seconds;
  }
}
