// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * Facts about one slice of a table that a policy may use. Immutable.
 *
 * <p>Ranks represent keys: a host numbers the bounds of one snapshot in key order, so overlap is a
 * comparison of integers. Both ranks are inclusive; a window that opens after a key gets a rank of
 * its own between that key and the next. Ranks are only valid within one snapshot.
 *
 * @param slice the slice's identity, unique within a shape; plans name slices by it
 * @param table the table's identity; several slices may share a table; a larger id is a younger
 *     table
 * @param low the rank of the smallest key the slice can hold, inclusive
 * @param high the rank of the largest key the slice can hold, inclusive, at least {@code low}
 * @param bytes bytes on disk inside the window, estimated where the window cuts a table
 * @param entries entries inside the window, with the same estimate
 * @param tombstones tombstones among the entries. The value equals {@code entries} only if every
 *     entry is known to be a tombstone, because such a slice may be dropped unread
 * @param tableBytes bytes on disk of the whole table, which the slice keeps there; at least {@code
 *     bytes}
 * @param claimed whether a running plan uses the table; no other plan may use such a slice
 * @param ended bytes inside the window of expired values, at most {@code bytes}. The host estimates
 *     them by its own clock; 0 if unknown. A rewrite removes them
 * @param hidden estimated older entries that its deletions hide: one per deleted key, and the
 *     entries of each deleted range. It is 0 if unknown, or while an open snapshot keeps them. It
 *     steers plans and proves nothing, and policies limit it to the entries that lie below
 */
public record SliceFacts(
    long slice,
    long table,
    int low,
    int high,
    long bytes,
    long entries,
    long tombstones,
    long tableBytes,
    boolean claimed,
    long ended,
    long hidden) {

  /**
   * Checks the bounds of all values.
   *
   * @throws IllegalArgumentException naming all values if one is out of range
   */
  public SliceFacts {
    if (low > high
        || bytes < 0
        || entries < 0
        || tombstones < 0
        || tableBytes < bytes
        || ended < 0
        || ended > bytes
        || hidden < 0) {
      throw new IllegalArgumentException(
          String.format(
              "slice %s: low (%s) must not exceed high (%s), bytes (%s) must not exceed"
                  + " tableBytes (%s), and bytes, entries (%s), tombstones (%s) and hidden"
                  + " (%s) must not be negative; ended (%s) must be in 0..bytes",
              slice, low, high, bytes, tableBytes, entries, tombstones, hidden, ended));
    }
  }

  /** Creates a slice without expired values whose deletions hide nothing. */
  public SliceFacts(
      long slice,
      long table,
      int low,
      int high,
      long bytes,
      long entries,
      long tombstones,
      long tableBytes,
      boolean claimed) {
    this(slice, table, low, high, bytes, entries, tombstones, tableBytes, claimed, 0, 0);
  }

  /**
   * Returns whether at least half of the slice's bytes are expired, so that a rewrite at least
   * halves it.
   */
  public boolean mostlyEnded() {
    return ended > 0 && ended >= bytes - ended;
  }

  /** Returns an unclaimed slice of a whole table; {@code id} is the id of slice and table. */
  public static SliceFacts whole(long id, int low, int high, long bytes, long entries) {
    return new SliceFacts(id, id, low, high, bytes, entries, 0, bytes, false);
  }

  /** Returns whether some key could be in both slices: their ranks overlap. */
  public boolean overlaps(SliceFacts other) {
    return low <= other.high && other.low <= high;
  }

  /** Returns a copy of this slice with the given value of {@code claimed}. */
  SliceFacts claimed(boolean now) {
    return new SliceFacts(
        slice, table, low, high, bytes, entries, tombstones, tableBytes, now, ended, hidden);
  }

  /**
   * Returns this slice with its table size reduced by the bytes that other slices show, but to at
   * least {@code bytes + 1}.
   */
  SliceFacts besides(long others) {
    long rest = Math.max(bytes + 1, tableBytes - others);
    return new SliceFacts(
        slice, table, low, high, bytes, entries, tombstones, rest, claimed, ended, hidden);
  }

  /** Returns whether every entry is known to be a tombstone. */
  public boolean hasTombstonesOnly() {
    return entries > 0 && tombstones == entries;
  }
}
