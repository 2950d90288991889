// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What a policy may know of one table, seen through one slice. A value.
 *
 * <p>Ranks stand for keys: a host gives the bounds of one snapshot numbers in their order, so
 * overlap is a comparison of integers. Both ranks are inclusive; a window that opens after a key
 * gets a rank of its own between that key and the next. Ranks mean nothing in the next snapshot.
 *
 * @param slice the slice's identity, unique within a Shape; plans name slices by it
 * @param table the table's identity; several slices may share a table; larger is younger
 * @param low the rank of the smallest key the slice can hold, inclusive
 * @param high the rank of the largest key the slice can hold, inclusive, at least {@code low}
 * @param bytes bytes on disk inside the window, estimated where the window cuts a table
 * @param entries entries inside the window, estimated likewise
 * @param tombstones deletions among the entries; equal to {@code entries} only if every entry is
 *     known to be a deletion, for such a slice may be dropped unread
 * @param tableBytes bytes on disk of the whole table, which the slice keeps there; at least {@code
 *     bytes}
 * @param claimed true while a plan under way uses the table; such a slice may not be planned
 * @param ended bytes inside the window of values that are past their end, at most {@code bytes}.
 *     The host estimates them by its own clock; 0 where it does not know. A rewrite lets go of them
 */
public record TableFacts(
    long slice,
    long table,
    int low,
    int high,
    long bytes,
    long entries,
    long tombstones,
    long tableBytes,
    boolean claimed,
    long ended) {

  /** Checks the bounds; all faults are named in one message. */
  public TableFacts {
    if (low > high
        || bytes < 0
        || entries < 0
        || tombstones < 0
        || tableBytes < bytes
        || ended < 0
        || ended > bytes) {
      throw new IllegalArgumentException(
          "slice "
              + slice
              + ": low ("
              + low
              + ") must not exceed high ("
              + high
              + "), bytes ("
              + bytes
              + ") must not exceed tableBytes ("
              + tableBytes
              + "), and bytes, entries ("
              + entries
              + ") and tombstones ("
              + tombstones
              + ") must not be negative; ended ("
              + ended
              + ") must be in 0..bytes");
    }
  }

  /** A slice of which nothing is known to be past its end. */
  public TableFacts(
      long slice,
      long table,
      int low,
      int high,
      long bytes,
      long entries,
      long tombstones,
      long tableBytes,
      boolean claimed) {
    this(slice, table, low, high, bytes, entries, tombstones, tableBytes, claimed, 0);
  }

  /** Returns true if at least half of it is past its end, so that a rewrite halves it. */
  boolean mostlyEnded() {
    return ended > 0 && ended >= bytes - ended;
  }

  /** The one slice of a whole table that nobody claims. */
  public static TableFacts whole(long id, int low, int high, long bytes, long entries) {
    return new TableFacts(id, id, low, high, bytes, entries, 0, bytes, false);
  }

  /** True if some key could lie in both. */
  public boolean overlaps(TableFacts other) {
    return low <= other.high && other.low <= high;
  }

  /** This slice, claimed or not. */
  TableFacts claimed(boolean now) {
    return new TableFacts(
        slice, table, low, high, bytes, entries, tombstones, tableBytes, now, ended);
  }

  /** This slice of a table that is smaller by what others show of it, but still not shown whole. */
  TableFacts besides(long others) {
    long rest = Math.max(bytes + 1, tableBytes - others);
    return new TableFacts(
        slice, table, low, high, bytes, entries, tombstones, rest, claimed, ended);
  }
}
