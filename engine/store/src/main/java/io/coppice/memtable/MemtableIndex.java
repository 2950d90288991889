// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memtable index: a B+-tree over some of the entries of a list. A search in the tree returns an
 * entry slightly before the wanted position; a short scan of the list finds the rest. A search in
 * blocks of {@value MemtableIndexLayout#SLOTS} entries reads few places in memory, whereas a skip
 * list reads about a dozen.
 *
 * <pre>
 * level 1            [ a        g        p ]            entries known by their prefixes
 *                      |        |        |
 * level 0       [ a c e ]  [ g k m ]  [ p t ]           each entry is a node of the list
 *                 |   \       |           |
 * list      a -> b -> c -> d -> ... -> g -> h -> i -> k -> ...
 * </pre>
 *
 * <p>One thread adds; any number of threads search concurrently without a lock. The tree may
 * therefore mislead a search, and the list decides:
 *
 * <ol>
 *   <li>An entry is written into a free slot, then the block's new order with release. Readers load
 *       the order with acquire, once per block.
 *   <li>A full block is split: the new block is written and added to the parent, and then the old
 *       block drops its upper part. Before the last step both blocks contain that part, which is
 *       harmless. After it, a reader that loaded the parent too early finds an entry further before
 *       its position.
 *   <li>Slots of a dropped part are reused, so a reader with an old order may be misled. It checks
 *       the entry that it found: if this is not before the position, the block has changed, and the
 *       reader starts again.
 * </ol>
 *
 * <p>The first entry of a block never changes; the parent identifies the block by it. If no memory
 * is available for a block, an entry is left out of the index, and scans of the list become longer.
 */
final class MemtableIndex {

  private static final VarHandle ORDER =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final VarHandle LINK =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /**
   * Maximum height of the tree. Blocks are at least half full, so that 8^11 entries fit: more than
   * there are addresses.
   */
  private static final int MAX_LEVELS = 11;

  private static final int HALF = MemtableIndexLayout.SLOTS / 2 + 1;

  private final MemtableArena arena;
  private final EntryList list;

  /**
   * Path to the entry that the writer found or added last: by level, the block and a position in
   * the block's order.
   */
  private final int[] path = new int[MAX_LEVELS];

  private final int[] places = new int[MAX_LEVELS];

  /** Height of the tree, used by the writer; readers see the level in each block. */
  private int levels;

  private volatile int root;

  private MemtableIndex(MemtableArena arena, EntryList list) {
    this.arena = arena;
    this.list = list;
  }

  /** Returns an index with the head of the list, or null if no memory was available. */
  static MemtableIndex create(MemtableArena arena, EntryList list, int head) {
    MemtableIndex index = new MemtableIndex(arena, list);
    return index.grow(0, head, 0) ? index : null;
  }

  /**
   * Returns the node of an entry before the position of key and trailer, as near to it as the index
   * knows; the head of the list is before all.
   */
  int seek(long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    while (true) {
      int block = root;
      while (true) {
        ByteBuffer chunk = arena.chunkOf(block);
        int b = MemtableArena.positionOf(block);
        long order = (long) ORDER.getAcquire(chunk, b + MemtableIndexLayout.ORDER);
        int place = search(chunk, b, order, prefix, key, keyFrom, keyLength, trailer);
        int slot = MemtableIndexLayout.slot(order, place);
        if (level(chunk, b) == 0) {
          int entry = entry(chunk, b, slot);
          if (list.isBeforeOrHead(entry, prefix, key, keyFrom, keyLength, trailer)) {
            return entry;
          }
          break;
        }
        block = child(chunk, b, slot);
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Returns an entry as {@link #seek} does, for the writer, which may then {@link #add} after it.
   */
  int seekToAdd(long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    int block = root;
    for (int level = levels - 1; ; level--) {
      ByteBuffer chunk = arena.chunkOf(block);
      int b = MemtableArena.positionOf(block);
      long order = (long) ORDER.get(chunk, b + MemtableIndexLayout.ORDER);
      int place = search(chunk, b, order, prefix, key, keyFrom, keyLength, trailer);
      path[level] = block;
      places[level] = place;
      int slot = MemtableIndexLayout.slot(order, place);
      if (level == 0) {
        int entry = entry(chunk, b, slot);
        assert list.isBeforeOrHead(entry, prefix, key, keyFrom, keyLength, trailer);
        return entry;
      }
      block = child(chunk, b, slot);
    }
  }

  /** Returns the last indexed entry. */
  int last() {
    int block = root;
    while (true) {
      ByteBuffer chunk = arena.chunkOf(block);
      int b = MemtableArena.positionOf(block);
      long order = (long) ORDER.getAcquire(chunk, b + MemtableIndexLayout.ORDER);
      int slot = MemtableIndexLayout.slot(order, MemtableIndexLayout.count(order) - 1);
      if (level(chunk, b) == 0) {
        return entry(chunk, b, slot);
      }
      block = child(chunk, b, slot);
    }
  }

  /**
   * Returns the position, in a block's order, of the last entry before the position of key and
   * trailer; at least 0.
   */
  private int search(
      ByteBuffer chunk,
      int b,
      long order,
      long prefix,
      byte[] key,
      int keyFrom,
      int keyLength,
      long trailer) {
    // Compares all prefixes, without a branch that could be mispredicted.
    int count = MemtableIndexLayout.count(order);
    int less = 0;
    for (int place = 1; place < count; place++) {
      less += borrow(prefix(chunk, b, MemtableIndexLayout.slot(order, place)), prefix);
    }
    int low = less;
    if (low + 1 < count && prefix(chunk, b, MemtableIndexLayout.slot(order, low + 1)) == prefix) {
      int high = count - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        int entry = entry(chunk, b, MemtableIndexLayout.slot(order, middle));
        if (list.isBeforeOrHead(entry, prefix, key, keyFrom, keyLength, trailer)) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
    }
    return low;
  }

  /**
   * Returns the borrow of a - b: 1 if a is below b as an unsigned number, otherwise 0 (Warren:
   * Hacker's Delight, section 2-12).
   */
  private static int borrow(long a, long b) {
    return (int) (((~a & b) | ((~a | b) & (a - b))) >>> 63);
  }

  /**
   * Adds an entry of the list after the one that {@link #seekToAdd} found, or that was added since
   * then.
   *
   * @param last whether the entry is the last of the list
   * @return whether memory was available
   */
  boolean add(long prefix, int entry, boolean last) {
    if (count(path[0]) == MemtableIndexLayout.SLOTS && !split(0, last)) {
      return false;
    }
    insert(0, prefix, entry, 0);
    places[0]++;
    return true;
  }

  /**
   * Inserts into a block of the path that has a free slot.
   *
   * @param entry address of the entry's node
   * @param child address of the child block that begins with the entry; 0 in the lowest level
   */
  private void insert(int level, long prefix, int entry, int child) {
    int block = path[level];
    ByteBuffer chunk = arena.chunkOf(block);
    int b = MemtableArena.positionOf(block);
    long order = (long) ORDER.get(chunk, b + MemtableIndexLayout.ORDER);
    write(
        chunk,
        b,
        MemtableIndexLayout.slot(order, MemtableIndexLayout.count(order)),
        prefix,
        entry,
        child,
        level);
    ORDER.setRelease(
        chunk, b + MemtableIndexLayout.ORDER, MemtableIndexLayout.with(order, places[level] + 1));
  }

  /**
   * Splits a full block of the path. Returns false if no memory was available; the block then stays
   * as it is.
   */
  private boolean split(int level, boolean last) {
    if (level == levels - 1) {
      ByteBuffer chunk = arena.chunkOf(path[level]);
      int b = MemtableArena.positionOf(path[level]);
      int first =
          MemtableIndexLayout.slot((long) ORDER.get(chunk, b + MemtableIndexLayout.ORDER), 0);
      if (!grow(prefix(chunk, b, first), entry(chunk, b, first), path[level])) {
        return false;
      }
    } else if (count(path[level + 1]) == MemtableIndexLayout.SLOTS && !split(level + 1, last)) {
      return false;
    }
    int right = arena.allocateBlock(MemtableIndexLayout.bytes(level));
    if (right == 0) {
      return false;
    }
    // Ascending keys leave full blocks behind.
    int kept = last ? MemtableIndexLayout.SLOTS - 1 : HALF;
    ByteBuffer chunk = arena.chunkOf(path[level]);
    int b = MemtableArena.positionOf(path[level]);
    long order = (long) ORDER.get(chunk, b + MemtableIndexLayout.ORDER);
    ByteBuffer rightChunk = arena.chunkOf(right);
    int r = MemtableArena.positionOf(right);
    for (int place = kept; place < MemtableIndexLayout.SLOTS; place++) {
      int slot = MemtableIndexLayout.slot(order, place);
      int child = level == 0 ? 0 : child(chunk, b, slot);
      int to = place - kept;
      write(rightChunk, r, to, prefix(chunk, b, slot), entry(chunk, b, slot), child, level);
    }
    LINK.set(rightChunk, r + MemtableIndexLayout.LEVEL, level);
    long filled =
        MemtableIndexLayout.cut(MemtableIndexLayout.EMPTY, MemtableIndexLayout.SLOTS - kept);
    ORDER.set(rightChunk, r + MemtableIndexLayout.ORDER, filled);
    insert(level + 1, prefix(rightChunk, r, 0), entry(rightChunk, r, 0), right);
    ORDER.setRelease(chunk, b + MemtableIndexLayout.ORDER, MemtableIndexLayout.cut(order, kept));
    if (places[level] >= kept) {
      path[level] = right;
      places[level] -= kept;
      places[level + 1]++;
    }
    return true;
  }

  /**
   * Adds a level with one block of one entry, which becomes the root. Returns false if no memory
   * was available.
   *
   * @param entry address of the entry's node
   * @param child address of the child block that begins with the entry; 0 in the lowest level
   */
  private boolean grow(long prefix, int entry, int child) {
    int block = arena.allocateBlock(MemtableIndexLayout.bytes(levels));
    if (block == 0) {
      return false;
    }
    ByteBuffer chunk = arena.chunkOf(block);
    int b = MemtableArena.positionOf(block);
    write(chunk, b, 0, prefix, entry, child, levels);
    LINK.set(chunk, b + MemtableIndexLayout.LEVEL, levels);
    ORDER.set(
        chunk,
        b + MemtableIndexLayout.ORDER,
        MemtableIndexLayout.cut(MemtableIndexLayout.EMPTY, 1));
    path[levels] = block;
    places[levels] = 0;
    levels++;
    root = block;
    return true;
  }

  private int count(int block) {
    ByteBuffer chunk = arena.chunkOf(block);
    return MemtableIndexLayout.count(
        (long) ORDER.get(chunk, MemtableArena.positionOf(block) + MemtableIndexLayout.ORDER));
  }

  private static void write(
      ByteBuffer chunk, int b, int slot, long prefix, int entry, int child, int level) {
    chunk.putLong(b + MemtableIndexLayout.PREFIX + Long.BYTES * slot, prefix);
    LINK.setRelease(chunk, b + MemtableIndexLayout.ENTRY + Integer.BYTES * slot, entry);
    if (level > 0) {
      LINK.setRelease(chunk, b + MemtableIndexLayout.CHILD + Integer.BYTES * slot, child);
    }
  }

  private static long prefix(ByteBuffer chunk, int b, int slot) {
    return chunk.getLong(b + MemtableIndexLayout.PREFIX + Long.BYTES * slot);
  }

  private static int level(ByteBuffer chunk, int b) {
    return (int) LINK.get(chunk, b + MemtableIndexLayout.LEVEL);
  }

  /**
   * Returns the entry in a slot, loaded with acquire semantics: under an old order, the slot may
   * hold a newer entry.
   */
  private static int entry(ByteBuffer chunk, int b, int slot) {
    return (int) LINK.getAcquire(chunk, b + MemtableIndexLayout.ENTRY + Integer.BYTES * slot);
  }

  private static int child(ByteBuffer chunk, int b, int slot) {
    return (int) LINK.getAcquire(chunk, b + MemtableIndexLayout.CHILD + Integer.BYTES * slot);
  }
}
