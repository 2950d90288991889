// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.entry.LookupKey;
import io.coppice.entry.RangeDeletions;
import io.coppice.table.KeyWindow;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableMeta;
import java.util.Arrays;

/**
 * A table seen through a key window {@code (lo, hi]}, which never hides the whole table. Several
 * slices may share a table; its file is deleted after the release of its last slice.
 *
 * <p>The range of a slice is its window, clipped to the table's own bounds. Callers share the
 * returned arrays and must not write to them.
 *
 * @param id the slice's identity, unique within a version and never reused
 * @param table the table of the slice
 * @param window the keys of the table that belong to the slice
 */
public record Slice(long id, TableMeta table, KeyWindow window) {

  /**
   * Checks that the window shows a part of the table.
   *
   * @throws IllegalArgumentException if it shows none
   */
  public Slice {
    byte[] low = window.low();
    byte[] high = window.high();
    if ((low != null && Arrays.compareUnsigned(low, table.largestKey()) >= 0)
        || (high != null && Arrays.compareUnsigned(high, table.smallestKey()) < 0)) {
      throw new IllegalArgumentException(
          "slice " + id + " shows no key of table " + table.number());
    }
  }

  /** Returns a slice that shows the whole table. */
  public static Slice whole(long id, TableMeta table) {
    return new Slice(id, table, KeyWindow.ALL);
  }

  /** Returns the lower bound of the range; {@link #lowExclusive} tells whether it is part of it. */
  public byte[] low() {
    return lowExclusive() ? window.low() : table.smallestKey();
  }

  /** Returns whether {@link #low} itself is outside the range. */
  public boolean lowExclusive() {
    return window.low() != null && Arrays.compareUnsigned(window.low(), table.smallestKey()) >= 0;
  }

  /** Returns the upper bound of the range, inclusive. */
  public byte[] high() {
    return highCuts() ? window.high() : table.largestKey();
  }

  /** Returns whether the table continues above {@link #high}. */
  public boolean highCuts() {
    return window.high() != null && Arrays.compareUnsigned(window.high(), table.largestKey()) < 0;
  }

  /** Returns whether the key of a lookup is in the range. */
  public boolean contains(LookupKey key) {
    return contains(key.bytes(), key.offset(), key.length());
  }

  /** Returns whether the key is in the range. */
  public boolean contains(byte[] key, int offset, int length) {
    return window.contains(key, offset, length)
        && Arrays.compareUnsigned(
                key, offset, offset + length, table.smallestKey(), 0, table.smallestKey().length)
            >= 0
        && Arrays.compareUnsigned(
                key, offset, offset + length, table.largestKey(), 0, table.largestKey().length)
            <= 0;
  }

  /**
   * Returns the open table if the range contains the key and the table's filter may contain it;
   * otherwise null. The caller leases a version that names the slice.
   *
   * @throws io.coppice.base.CorruptionException if the table was damaged when the store was opened
   */
  public Table candidate(OpenTables tables, LookupKey key) {
    if (!contains(key)) {
      return null;
    }
    Table open = tables.get(table.number());
    return open.mayContain(key.hash()) ? open : null;
  }

  /** Returns whether the table has range deletions; the window may hide them. */
  public boolean mayDeleteRanges() {
    return table.rangeDeletions() > 0;
  }

  /**
   * Returns the range deletions that the window shows. The caller leases a version that names the
   * slice.
   *
   * @throws io.coppice.base.CorruptionException if the table is damaged
   */
  public RangeDeletions rangeDeletions(OpenTables tables) {
    return mayDeleteRanges()
        ? tables.get(table.number()).rangeDeletions().clip(window.low(), window.high())
        : RangeDeletions.NONE;
  }

  /**
   * Returns the sequence number of the newest range deletion of a key, up to {@code sequence}
   * inclusive; -1 if there is none or the key is outside the slice's range.
   */
  public long newestCovering(OpenTables tables, byte[] key, int offset, int length, long sequence) {
    return mayDeleteRanges() && contains(key, offset, length)
        ? tables.get(table.number()).rangeDeletions().newestCovering(key, offset, length, sequence)
        : -1;
  }

  /** Returns whether every key of this range is below every key of the other. */
  public boolean isBelow(Slice other) {
    int order = Arrays.compareUnsigned(high(), other.low());
    return order < 0 || (order == 0 && other.lowExclusive());
  }

  /** Returns whether a key up to this bound, inclusive, could be in the range. */
  public boolean reachesTo(byte[] bound) {
    int order = Arrays.compareUnsigned(low(), bound);
    return order < 0 || (order == 0 && !lowExclusive());
  }

  /**
   * Returns whether another slice's range begins exactly where this one ends, without a gap or a
   * shared key.
   */
  public boolean touches(Slice above) {
    return above.lowExclusive() && Arrays.equals(high(), above.low());
  }

  /** Returns whether some key could be in both ranges. */
  public boolean overlaps(Slice other) {
    return !isBelow(other) && !other.isBelow(this);
  }

  @Override
  public String toString() {
    return "s" + id + " of " + table;
  }
}
