// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.bytes.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Linked list of nodes in entry order, with a {@link MemtableIndex} to some of them. One thread
 * inserts at a time; any number of threads read concurrently without a lock. A node is written
 * completely, then linked with release; links are followed with acquire. No node is ever removed.
 */
final class EntryList {

  private static final VarHandle LINK =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /**
   * Seed of the random draws, any odd number. It is constant, so that the draws repeat from run to
   * run.
   */
  private static final long SEED = 0x9E3779B97F4A7C15L;

  /** A node at this distance behind the last indexed node is indexed, counted in nodes. */
  private static final int MAX_STEPS = 4;

  /**
   * One in this many nodes at a smaller distance is indexed as well. Otherwise a node before all
   * indexed ones would never be.
   */
  private static final int KNOWN_SHARE = 16;

  private final MemtableArena arena;
  private final int head;
  private MemtableIndex index;

  // State of the last insertion, used only by the writer.
  private int last;

  /** Number of nodes from the last found or indexed node up to the last inserted one. */
  private int steps;

  /** Predecessor of the last inserted node. */
  private int left;

  /** Whether the last insertion was directly after the one before, as with ascending keys. */
  private boolean inOrder;

  /** Whether the last insertion was directly before the one before, as with descending keys. */
  private boolean inReverse;

  /**
   * Number of consecutive insertions next to the previous node, which needed no search of the
   * index.
   */
  private int unsearched;

  private long randomState = SEED;

  private EntryList(MemtableArena arena, int head) {
    this.arena = arena;
    this.head = head;
    this.last = head;
    this.left = head;
  }

  /** Returns an empty list, or null if no memory was available. */
  static EntryList create(MemtableArena arena) {
    // The head has no body; its node is at the end of a chunk, where no address is 0.
    if (!arena.allocate(0)) {
      return null;
    }
    EntryList list = new EntryList(arena, arena.node());
    EntryNodeLayout.writeNode(arena.chunkOf(list.head), MemtableArena.positionOf(list.head), 0, 0);
    list.setNext(list.head, 0);
    list.index = MemtableIndex.create(arena, list, list.head);
    return list.index == null ? null : list;
  }

  /**
   * Inserts a new entry. Returns whether memory was available; otherwise nothing changed.
   *
   * @param trailer sequence number and kind, as in {@link EntryNodeLayout}
   */
  boolean insert(
      long trailer,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    int node = append(trailer, key, keyFrom, keyLength, value, valueFrom, valueLength);
    if (node == 0) {
      return false;
    }
    link(node, key, keyFrom, keyLength, trailer);
    return true;
  }

  /**
   * Writes an entry without linking it. Returns its node, or 0 if no memory was available.
   *
   * @param trailer sequence number and kind, as in {@link EntryNodeLayout}
   */
  int append(
      long trailer,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    if (!arena.allocate(EntryNodeLayout.bodyBytes(keyLength, valueLength))) {
      return 0;
    }
    int node = arena.node();
    int body = arena.body();
    EntryNodeLayout.writeBody(
        arena.chunkOf(body),
        MemtableArena.positionOf(body),
        trailer,
        key,
        keyFrom,
        keyLength,
        value,
        valueFrom,
        valueLength);
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    EntryNodeLayout.writeNode(arena.chunkOf(node), MemtableArena.positionOf(node), prefix, body);
    return node;
  }

  /** Links an appended entry; cheap if its position is next to the last one. */
  void link(int node, byte[] key, int keyLength) {
    int body = body(node);
    link(node, key, 0, keyLength, arena.chunkOf(body).getLong(MemtableArena.positionOf(body)));
  }

  private void link(int node, byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = prefix(node);
    if (inReverse
        && unsearched < MAX_STEPS
        && !isBeforeOrHead(last, prefix, key, keyFrom, keyLength, trailer)
        && isBeforeOrHead(left, prefix, key, keyFrom, keyLength, trailer)) {
      link(node, left, last);
      unsearched++;
      return;
    }
    int before = last;
    int behind = next(before);
    // The successor of the last insertion is far away in memory. Unless it probably follows this
    // entry too, it is not accessed.
    boolean searched =
        (behind != 0 && !inOrder)
            || unsearched > 0
            || !isBeforeOrHead(before, prefix, key, keyFrom, keyLength, trailer)
            || isBefore(behind, prefix, key, keyFrom, keyLength, trailer);
    if (searched) {
      before = index.seekToAdd(prefix, key, keyFrom, keyLength, trailer);
      steps = 0;
      while (isBefore(behind = next(before), prefix, key, keyFrom, keyLength, trailer)) {
        before = behind;
        steps++;
      }
    }
    assert behind == 0 || compare(behind, prefix, key, keyFrom, keyLength, trailer) > 0;
    link(node, before, behind);
    if (steps >= MAX_STEPS || unsearched >= MAX_STEPS || isDrawn()) {
      steps = index.add(prefix, node, behind == 0) ? 0 : steps + 1;
    } else {
      steps++;
    }
    unsearched = 0;
  }

  private void link(int node, int before, int behind) {
    inOrder = before == last;
    inReverse = behind == last;
    setNext(node, behind);
    publishNext(before, node);
    left = before;
    last = node;
  }

  /** Returns the first node at or after the position of key and trailer, or 0. */
  int seek(byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    int right = index.seek(prefix, key, keyFrom, keyLength, trailer);
    do {
      right = next(right);
    } while (isBefore(right, prefix, key, keyFrom, keyLength, trailer));
    return right;
  }

  /** Returns the last node before the position of key and trailer, or 0. */
  int seekBefore(byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    int left = index.seek(prefix, key, keyFrom, keyLength, trailer);
    int right;
    while (isBefore(right = next(left), prefix, key, keyFrom, keyLength, trailer)) {
      left = right;
    }
    return left == head ? 0 : left;
  }

  int first() {
    return next(head);
  }

  int last() {
    int node = index.last();
    int right;
    while ((right = next(node)) != 0) {
      node = right;
    }
    return node == head ? 0 : node;
  }

  boolean hasKey(int node, byte[] key, int keyFrom, int keyLength) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    if (prefix(node) != prefix) {
      return false;
    }
    int body = body(node);
    ByteBuffer chunk = arena.chunkOf(body);
    return EntryNodeLayout.compareRest(
            chunk, MemtableArena.positionOf(body), key, keyFrom, keyLength)
        == 0;
  }

  /** Returns the first eight bytes of the node's key. */
  long prefix(int node) {
    return arena.chunkOf(node).getLong(MemtableArena.positionOf(node));
  }

  /**
   * Reads a few bytes of the {@code count} entries after a node, so that their cache misses
   * overlap. Returns a number that depends on all of them, which the caller must use; otherwise the
   * JVM would remove the reads.
   */
  long fetch(int node, int count) {
    long sum = 0;
    int present = next(node);
    for (int i = 0; i < count && present != 0; i++) {
      int body = body(present);
      ByteBuffer chunk = arena.chunkOf(body);
      int b = MemtableArena.positionOf(body);
      sum += chunk.getLong(b) + chunk.get(Math.min(b + 64, chunk.capacity() - 1));
      present = next(present);
    }
    return sum;
  }

  /** Returns the address of the body of a node. */
  int body(int node) {
    return arena.chunkOf(node).getInt(MemtableArena.positionOf(node) + EntryNodeLayout.BODY);
  }

  /** Returns whether a node is before the position of key and trailer; the head always is. */
  boolean isBeforeOrHead(
      int node, long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    return node == head || compare(node, prefix, key, keyFrom, keyLength, trailer) < 0;
  }

  /**
   * Returns whether a node is before the position of key and trailer; 0, the end of the list, never
   * is.
   */
  private boolean isBefore(
      int node, long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    return node != 0 && compare(node, prefix, key, keyFrom, keyLength, trailer) < 0;
  }

  private int compare(int node, long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    long nodePrefix = prefix(node);
    if (nodePrefix != prefix) {
      return Long.compareUnsigned(nodePrefix, prefix);
    }
    int body = body(node);
    ByteBuffer chunk = arena.chunkOf(body);
    int b = MemtableArena.positionOf(body);
    int order = EntryNodeLayout.compareRest(chunk, b, key, keyFrom, keyLength);
    return order != 0 ? order : Long.compare(trailer, chunk.getLong(b));
  }

  int next(int node) {
    return (int)
        LINK.getAcquire(arena.chunkOf(node), MemtableArena.positionOf(node) + EntryNodeLayout.NEXT);
  }

  private void setNext(int node, int next) {
    LINK.set(arena.chunkOf(node), MemtableArena.positionOf(node) + EntryNodeLayout.NEXT, next);
  }

  private void publishNext(int node, int next) {
    LINK.setRelease(
        arena.chunkOf(node), MemtableArena.positionOf(node) + EntryNodeLayout.NEXT, next);
  }

  /**
   * Returns true for one in {@link #KNOWN_SHARE} calls on average. Draws by xorshift64 (Marsaglia,
   * 2003).
   */
  private boolean isDrawn() {
    randomState ^= randomState << 13;
    randomState ^= randomState >>> 7;
    randomState ^= randomState << 17;
    return randomState % KNOWN_SHARE == 0;
  }
}
