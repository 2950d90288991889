// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Limits;
import io.coppice.table.filter.FilterSlot;
import java.util.Arrays;

/**
 * Metadata of a finished table, known without opening it. A value; the keys are shared and must not
 * be modified.
 *
 * @param number the table's file number, never reused
 * @param bytes the file's length on disk
 * @param entries entries in the file, range deletions included, at least 1
 * @param tombstones deletions among the entries, of keys and of ranges
 * @param rangeDeletions fragments of range deletions among them
 * @param smallestKey the smallest user key, inclusive; range deletions count
 * @param largestKey the largest user key, inclusive; or the end of a range deletion, exclusive, if
 *     no key is the largest below it
 * @param minSequence the smallest sequence number
 * @param maxSequence the largest sequence number
 * @param filterSlot the table's slot in the filter file, or {@link #NO_FILTER}
 */
public record TableMeta(
    long number,
    long bytes,
    long entries,
    long tombstones,
    long rangeDeletions,
    byte[] smallestKey,
    byte[] largestKey,
    long minSequence,
    long maxSequence,
    FilterSlot filterSlot) {

  /** Slot of a table without a filter. */
  public static final FilterSlot NO_FILTER = FilterSlot.NONE;

  /**
   * Checks that the components agree.
   *
   * @throws IllegalArgumentException if they do not; the message contains all of them
   */
  public TableMeta {
    if (number < 0
        || bytes < 0
        || entries < 1
        || tombstones < 0
        || tombstones > entries
        || rangeDeletions < 0
        || rangeDeletions > tombstones
        || minSequence < 0
        || minSequence > maxSequence
        || maxSequence > Limits.MAX_SEQUENCE
        || filterSlot.keys() > entries - rangeDeletions
        || Arrays.compareUnsigned(smallestKey, largestKey) > 0) {
      throw new IllegalArgumentException(
          String.format(
              "table %s cannot have %s bytes, %s entries, %s tombstones, %s range"
                  + " deletions, sequences %s to %s, filter slot %s and a smallest key that"
                  + " is %s its largest",
              number,
              bytes,
              entries,
              tombstones,
              rangeDeletions,
              minSequence,
              maxSequence,
              filterSlot,
              Arrays.compareUnsigned(smallestKey, largestKey) > 0 ? "above" : "not above"));
    }
  }

  /** Returns the same table with another filter slot. */
  public TableMeta withFilterSlot(FilterSlot slot) {
    return new TableMeta(
        number,
        bytes,
        entries,
        tombstones,
        rangeDeletions,
        smallestKey,
        largestKey,
        minSequence,
        maxSequence,
        slot);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TableMeta that
        && number == that.number
        && bytes == that.bytes
        && entries == that.entries
        && tombstones == that.tombstones
        && rangeDeletions == that.rangeDeletions
        && minSequence == that.minSequence
        && maxSequence == that.maxSequence
        && filterSlot.equals(that.filterSlot)
        && Arrays.equals(smallestKey, that.smallestKey)
        && Arrays.equals(largestKey, that.largestKey);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }

  @Override
  public String toString() {
    return "t" + number + " (" + entries + " entries, " + bytes + " bytes)";
  }
}
