// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

/**
 * Layout of a block of the memtable index {@link MemtableIndex}: some entries and, above the lowest
 * level, the child blocks that begin with them. Slots are filled in order of arrival. One number
 * encodes the key order of the slots, so a single write makes an entry visible (Mao, Kohler,
 * Morris: Cache Craftiness for Fast Multicore Key-Value Storage, 2012, section 4.6.2).
 *
 * <pre>
 * block, at a multiple of eight
 *   b              order       long: the count, then the slots in the order of their keys, then the
 *                              free slots; four bits each, lowest first
 *   b +   8 +  8s  prefix(s)   the first eight bytes of the entry's key
 *   b + 128 +  4s  entry(s)    int address of its node
 *   b + 188        level       int, 0 for the lowest
 *   b + 192 +  4s  child(s)    int address of a block of the level below; from level 1 on
 * </pre>
 *
 * Prefixes are big-endian; all other fields have the byte order of the machine.
 */
final class MemtableIndexLayout {

  /** Slots per block: the largest number that four bits hold. */
  static final int SLOTS = 15;

  static final int ORDER = 0;
  static final int PREFIX = 8;
  static final int ENTRY = PREFIX + Long.BYTES * SLOTS;
  static final int LEVEL = ENTRY + Integer.BYTES * SLOTS;
  static final int CHILD = LEVEL + Integer.BYTES;

  /** Order of a block without entries: all slots are free, in ascending order. */
  static final long EMPTY = 0xEDCB_A987_6543_2100L;

  private static final int BITS = 4;
  private static final int MASK = 15;

  private MemtableIndexLayout() {}

  static int bytes(int level) {
    return level == 0 ? CHILD : CHILD + Integer.BYTES * (SLOTS + 1);
  }

  static int count(long order) {
    return (int) order & MASK;
  }

  /** Returns the slot at a position in the order; after the last entry, that of a free slot. */
  static int slot(long order, int place) {
    return (int) (order >>> (BITS + BITS * place)) & MASK;
  }

  /**
   * Returns a block's order with only its first {@code count} entries; the slots of the others
   * become free.
   */
  static long cut(long order, int count) {
    return (order & -(MASK + 1L)) | count;
  }

  /**
   * Returns the order with the first free slot inserted at a position; later entries move up by
   * one.
   */
  static long with(long order, int place) {
    int count = count(order);
    long slot = slot(order, count);
    int from = BITS + BITS * place;
    int to = BITS + BITS * count;
    long below = order & ((1L << from) - 1);
    long moved = order & ((1L << to) - 1) & -(1L << from);
    // A shift by 64 is a shift by 0, so the last position needs a special case.
    long behind = count + 1 == SLOTS ? 0 : order & -(1L << (to + BITS));
    return (behind | moved << BITS | slot << from | below) + 1;
  }
}
