// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.RangeDeletions;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableMeta;
import io.coppice.table.Window;
import java.util.Arrays;

/**
 * A table seen through a key window {@code (lo, hi]}. The window never hides the whole table.
 * Several slices may share a table; its file goes when its last slice is released.
 *
 * <p>The range of a slice is its window cut to the table's own bounds. Arrays handed out are shared
 * and must not be written to.
 *
 * @param id the slice's identity, unique within a Version and never given twice
 * @param table the table behind it
 * @param window the keys of the table that belong to the slice
 */
public record Slice(long id, TableMeta table, Window window) {

  /** Checks that the window leaves a part of the table. */
  public Slice {
    byte[] low = window.low();
    byte[] high = window.high();
    if ((low != null && Arrays.compareUnsigned(low, table.largestKey()) >= 0)
        || (high != null && Arrays.compareUnsigned(high, table.smallestKey()) < 0)) {
      throw new IllegalArgumentException(
          "slice " + id + " shows no key of table " + table.number());
    }
  }

  /** A slice that shows the whole table. */
  public static Slice whole(long id, TableMeta table) {
    return new Slice(id, table, Window.ALL);
  }

  /** The lower bound of the range; whether it counts is told by {@link #lowExclusive}. */
  public byte[] low() {
    return lowExclusive() ? window.low() : table.smallestKey();
  }

  /** True if {@link #low} itself is outside the range. */
  public boolean lowExclusive() {
    return window.low() != null && Arrays.compareUnsigned(window.low(), table.smallestKey()) >= 0;
  }

  /** The upper bound of the range, inclusive. */
  public byte[] high() {
    return highCuts() ? window.high() : table.largestKey();
  }

  /** True if the table goes on above {@link #high}. */
  public boolean highCuts() {
    return window.high() != null && Arrays.compareUnsigned(window.high(), table.largestKey()) < 0;
  }

  /** True if the key lies in the range. */
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
   * The table behind it, if the range contains a key and the table's filter does not rule it out;
   * else null.
   *
   * @param hash of the key by {@link io.coppice.table.KeyHash}
   * @throws io.coppice.base.CorruptionException if the table was damaged when the store was opened
   */
  public Table candidate(OpenTables tables, byte[] key, int offset, int length, long hash) {
    if (!contains(key, offset, length)) {
      return null;
    }
    Table open = tables.get(table.number());
    return open.mayContain(hash) ? open : null;
  }

  /** True if the table has range deletions; the window may hide them. */
  public boolean mayDeleteRanges() {
    return table.rangeDeletions() > 0;
  }

  /**
   * The range deletions that the window shows. The caller leases a version that names the slice.
   */
  public RangeDeletions rangeDeletions(OpenTables tables) {
    return mayDeleteRanges()
        ? tables.get(table.number()).rangeDeletions().clip(window.low(), window.high())
        : RangeDeletions.NONE;
  }

  /**
   * The newest range deletion of a key that is not newer than {@code sequence}, or -1 if there is
   * none or the range does not contain the key.
   */
  public long newestCovering(OpenTables tables, byte[] key, int offset, int length, long sequence) {
    return mayDeleteRanges() && contains(key, offset, length)
        ? tables.get(table.number()).rangeDeletions().newestCovering(key, offset, length, sequence)
        : -1;
  }

  /** A cursor over what the window shows of the table, unpositioned. Used by one thread. */
  public EntryCursor cursor(OpenTables tables) {
    return tables.get(table.number()).cursor(window);
  }

  /** True if every key of this range is below every key of the other. */
  public boolean isBelow(Slice other) {
    int order = Arrays.compareUnsigned(high(), other.low());
    return order < 0 || (order == 0 && other.lowExclusive());
  }

  /** True if a key up to this bound could lie in the range. */
  public boolean reachesTo(byte[] bound) {
    int order = Arrays.compareUnsigned(low(), bound);
    return order < 0 || (order == 0 && !lowExclusive());
  }

  /** True if the ranges share no key and nothing could lie between them, this one below. */
  public boolean touches(Slice above) {
    return above.lowExclusive() && Arrays.equals(high(), above.low());
  }

  /** True if some key could lie in both ranges. */
  public boolean overlaps(Slice other) {
    return !isBelow(other) && !other.isBelow(this);
  }

  @Override
  public String toString() {
    return "s" + id + " of " + table;
  }
}
