// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A tree over some of the entries of a list: whoever looks for a place gets an entry a little in
 * front of it, and walks from there. A search in blocks of {@value GuideLayout#SLOTS} meets few
 * places of the memory, one in a tower of lists a dozen.
 *
 * <p>One thread adds; any number search meanwhile without a lock. What they find is only a guide:
 *
 * <ol>
 *   <li>An entry is written into a free slot, then the new order of the block with release. Readers
 *       take the order with acquire, once a block.
 *   <li>A full block is split: the new one is written, becomes known to the parent, and then the
 *       old one lets the upper part go. Before the last step both show it, which is right; after it
 *       a reader that came too early finds an entry further in front.
 *   <li>Slots that were let go are used again, so one who reads by an old order may be misled. He
 *       looks at the entry that he has found: if it is not in front of what he seeks, the block has
 *       changed since, and he begins anew.
 * </ol>
 *
 * <p>The first entry of a block, which its parent knows it by, never changes. Where no memory can
 * be had for a block, an entry is left out; walks are longer then.
 */
final class Guide {

  private static final VarHandle ORDER =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final VarHandle LINK =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** Blocks are at least half full, so that 8^11 entries fit: more than there are addresses. */
  private static final int MAX_LEVELS = 11;

  private static final int HALF = GuideLayout.SLOTS / 2 + 1;

  private final Arena arena;
  private final EntryList list;

  /** The way to what the writer found or added last, by level: the blocks, and places in them. */
  private final int[] path = new int[MAX_LEVELS];

  private final int[] places = new int[MAX_LEVELS];

  /** Only the writer asks; readers see the level in a block. */
  private int levels;

  private volatile int root;

  private Guide(Arena arena, EntryList list) {
    this.arena = arena;
    this.list = list;
  }

  /** A guide that knows the head of the list, or null if no memory could be had. */
  static Guide create(Arena arena, EntryList list, int head) {
    Guide guide = new Guide(arena, list);
    return guide.grow(0, head, 0) ? guide : null;
  }

  /** An entry in front of the place of key and trailer; the head of the list is in front of all. */
  int seek(long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    while (true) {
      int block = root;
      while (true) {
        ByteBuffer chunk = arena.chunkOf(block);
        int b = Arena.positionOf(block);
        long order = (long) ORDER.getAcquire(chunk, b + GuideLayout.ORDER);
        int place = search(chunk, b, order, prefix, key, keyFrom, keyLength, trailer);
        int slot = GuideLayout.slot(order, place);
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

  /** As {@link #seek}, by the writer, who may then {@link #add}. */
  int seekToAdd(long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    int block = root;
    for (int level = levels - 1; ; level--) {
      ByteBuffer chunk = arena.chunkOf(block);
      int b = Arena.positionOf(block);
      long order = (long) ORDER.get(chunk, b + GuideLayout.ORDER);
      int place = search(chunk, b, order, prefix, key, keyFrom, keyLength, trailer);
      path[level] = block;
      places[level] = place;
      int slot = GuideLayout.slot(order, place);
      if (level == 0) {
        int entry = entry(chunk, b, slot);
        assert list.isBeforeOrHead(entry, prefix, key, keyFrom, keyLength, trailer);
        return entry;
      }
      block = child(chunk, b, slot);
    }
  }

  /** The last entry it knows. */
  int last() {
    int block = root;
    while (true) {
      ByteBuffer chunk = arena.chunkOf(block);
      int b = Arena.positionOf(block);
      long order = (long) ORDER.getAcquire(chunk, b + GuideLayout.ORDER);
      int slot = GuideLayout.slot(order, GuideLayout.count(order) - 1);
      if (level(chunk, b) == 0) {
        return entry(chunk, b, slot);
      }
      block = child(chunk, b, slot);
    }
  }

  /** The place of the last entry in a block that is in front of what is sought; at least 0. */
  private int search(
      ByteBuffer chunk,
      int b,
      long order,
      long prefix,
      byte[] key,
      int keyFrom,
      int keyLength,
      long trailer) {
    // All are looked at, without a branch that could be foretold wrongly.
    int count = GuideLayout.count(order);
    int less = 0;
    for (int place = 1; place < count; place++) {
      less += isLess(prefix(chunk, b, GuideLayout.slot(order, place)), prefix);
    }
    int low = less;
    if (low + 1 < count && prefix(chunk, b, GuideLayout.slot(order, low + 1)) == prefix) {
      int high = count - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        int entry = entry(chunk, b, GuideLayout.slot(order, middle));
        if (list.isBeforeOrHead(entry, prefix, key, keyFrom, keyLength, trailer)) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
    }
    return low;
  }

  /** 1 if a is below b as an unsigned number, else 0 (Warren: Hacker's Delight, section 2-12). */
  private static int isLess(long a, long b) {
    return (int) (((~a & b) | ((~a | b) & (a - b))) >>> 63);
  }

  /**
   * Adds an entry of the list behind the one that {@link #seekToAdd} has found, or that was added
   * since then.
   *
   * @param last true if the entry is the last of the list
   * @return false if no memory could be had
   */
  boolean add(long prefix, int entry, boolean last) {
    if (count(path[0]) == GuideLayout.SLOTS && !split(0, last)) {
      return false;
    }
    insert(0, prefix, entry, 0);
    places[0]++;
    return true;
  }

  /** Into a block of the path that is not full. */
  private void insert(int level, long prefix, int entry, int child) {
    int block = path[level];
    ByteBuffer chunk = arena.chunkOf(block);
    int b = Arena.positionOf(block);
    long order = (long) ORDER.get(chunk, b + GuideLayout.ORDER);
    write(chunk, b, GuideLayout.slot(order, GuideLayout.count(order)), prefix, entry, child, level);
    ORDER.setRelease(chunk, b + GuideLayout.ORDER, GuideLayout.with(order, places[level] + 1));
  }

  /** Makes room in a full block of the path. False if no memory could be had; nothing is lost. */
  private boolean split(int level, boolean last) {
    if (level == levels - 1) {
      ByteBuffer chunk = arena.chunkOf(path[level]);
      int b = Arena.positionOf(path[level]);
      int first = GuideLayout.slot((long) ORDER.get(chunk, b + GuideLayout.ORDER), 0);
      if (!grow(prefix(chunk, b, first), entry(chunk, b, first), path[level])) {
        return false;
      }
    } else if (count(path[level + 1]) == GuideLayout.SLOTS && !split(level + 1, last)) {
      return false;
    }
    int right = arena.allocateBlock(GuideLayout.bytes(level));
    if (right == 0) {
      return false;
    }
    // Keys that come in order leave full blocks behind.
    int kept = last ? GuideLayout.SLOTS - 1 : HALF;
    ByteBuffer chunk = arena.chunkOf(path[level]);
    int b = Arena.positionOf(path[level]);
    long order = (long) ORDER.get(chunk, b + GuideLayout.ORDER);
    ByteBuffer rightChunk = arena.chunkOf(right);
    int r = Arena.positionOf(right);
    for (int place = kept; place < GuideLayout.SLOTS; place++) {
      int slot = GuideLayout.slot(order, place);
      int child = level == 0 ? 0 : child(chunk, b, slot);
      int to = place - kept;
      write(rightChunk, r, to, prefix(chunk, b, slot), entry(chunk, b, slot), child, level);
    }
    LINK.set(rightChunk, r + GuideLayout.LEVEL, level);
    long filled = GuideLayout.cut(GuideLayout.EMPTY, GuideLayout.SLOTS - kept);
    ORDER.set(rightChunk, r + GuideLayout.ORDER, filled);
    insert(level + 1, prefix(rightChunk, r, 0), entry(rightChunk, r, 0), right);
    ORDER.setRelease(chunk, b + GuideLayout.ORDER, GuideLayout.cut(order, kept));
    if (places[level] >= kept) {
      path[level] = right;
      places[level] -= kept;
      places[level + 1]++;
    }
    return true;
  }

  /** Adds a level with one block of one entry, which is the root from then on. */
  private boolean grow(long prefix, int entry, int child) {
    int block = arena.allocateBlock(GuideLayout.bytes(levels));
    if (block == 0) {
      return false;
    }
    ByteBuffer chunk = arena.chunkOf(block);
    int b = Arena.positionOf(block);
    write(chunk, b, 0, prefix, entry, child, levels);
    LINK.set(chunk, b + GuideLayout.LEVEL, levels);
    ORDER.set(chunk, b + GuideLayout.ORDER, GuideLayout.cut(GuideLayout.EMPTY, 1));
    path[levels] = block;
    places[levels] = 0;
    levels++;
    root = block;
    return true;
  }

  private int count(int block) {
    ByteBuffer chunk = arena.chunkOf(block);
    return GuideLayout.count((long) ORDER.get(chunk, Arena.positionOf(block) + GuideLayout.ORDER));
  }

  private static void write(
      ByteBuffer chunk, int b, int slot, long prefix, int entry, int child, int level) {
    chunk.putLong(b + GuideLayout.PREFIX + Long.BYTES * slot, prefix);
    LINK.setRelease(chunk, b + GuideLayout.ENTRY + Integer.BYTES * slot, entry);
    if (level > 0) {
      LINK.setRelease(chunk, b + GuideLayout.CHILD + Integer.BYTES * slot, child);
    }
  }

  private static long prefix(ByteBuffer chunk, int b, int slot) {
    return chunk.getLong(b + GuideLayout.PREFIX + Long.BYTES * slot);
  }

  private static int level(ByteBuffer chunk, int b) {
    return (int) LINK.get(chunk, b + GuideLayout.LEVEL);
  }

  /** With acquire: by an old order, it may be of an entry that the order does not stand for. */
  private static int entry(ByteBuffer chunk, int b, int slot) {
    return (int) LINK.getAcquire(chunk, b + GuideLayout.ENTRY + Integer.BYTES * slot);
  }

  private static int child(ByteBuffer chunk, int b, int slot) {
    return (int) LINK.getAcquire(chunk, b + GuideLayout.CHILD + Integer.BYTES * slot);
  }
}
