// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Nodes in entry order, in a tower of linked lists (Pugh: Skip Lists, 1990). One thread inserts at
 * a time; any number read meanwhile without a lock: a node is written in full, then linked with
 * release from the lowest level up, and links are followed with acquire. Nothing is ever removed.
 */
final class SkipList {

  private static final VarHandle LINK =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** Any odd number: the heights repeat from run to run. */
  private static final long HEIGHT_SEED = 0x9E3779B97F4A7C15L;

  private final Arena arena;
  private final int head;

  /** Of each level the last node before or at the last insertion. Only the writer touches it. */
  private final int[] before = new int[NodeLayout.MAX_HEIGHT];

  private long randomState = HEIGHT_SEED;
  private volatile int height = 1;

  private SkipList(Arena arena, int head) {
    this.arena = arena;
    this.head = head;
    Arrays.fill(before, head);
  }

  /** An empty list, or null if no memory could be had. */
  static SkipList create(Arena arena) {
    // The head has no body; its node lies at the end of a chunk, where no address is 0.
    if (!arena.allocate(NodeLayout.MAX_HEIGHT, 0)) {
      return null;
    }
    SkipList list = new SkipList(arena, arena.node());
    for (int level = 0; level < NodeLayout.MAX_HEIGHT; level++) {
      list.setNext(list.head, level, 0);
    }
    return list;
  }

  /** Adds an entry that is not yet there. False if no memory could be had; nothing changed then. */
  boolean insert(
      long trailer,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    int levels = randomHeight();
    int node = append(levels, trailer, key, keyFrom, keyLength, value, valueFrom, valueLength);
    if (node == 0) {
      return false;
    }
    long prefix = prefix(node);
    if (!followsLast(levels, prefix, key, keyFrom, keyLength, trailer)) {
      findBefore(prefix, key, keyFrom, keyLength, trailer);
    }
    link(node, levels);
    return true;
  }

  /** Writes an entry that is in no list yet; 0 if no memory could be had. */
  int append(
      int levels,
      long trailer,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    if (!arena.allocate(levels, NodeLayout.bodyBytes(keyLength, valueLength))) {
      return 0;
    }
    int node = arena.node();
    int body = arena.body();
    NodeLayout.writeBody(
        arena.chunkOf(body),
        Arena.positionOf(body),
        trailer,
        key,
        keyFrom,
        keyLength,
        value,
        valueFrom,
        valueLength);
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    NodeLayout.writeNode(arena.chunkOf(node), Arena.positionOf(node), prefix, body);
    return node;
  }

  /**
   * Links an appended entry, searching from the last insertion on; cheap where that one lies a
   * little before.
   */
  void linkNear(int node, int levels, byte[] key, int keyLength) {
    long prefix = prefix(node);
    int body = body(node);
    long trailer = arena.chunkOf(body).getLong(Arena.positionOf(body));
    if (before[0] == head || isBefore(before[0], prefix, key, 0, keyLength, trailer)) {
      findBehindLast(prefix, key, keyLength, trailer);
    } else {
      findBefore(prefix, key, 0, keyLength, trailer);
    }
    link(node, levels);
  }

  /** As {@link #findBefore}, for a place behind {@link #before}: up as far as needed, and down. */
  private void findBehindLast(long prefix, byte[] key, int keyLength, long trailer) {
    int level = 0;
    while (level < height
        && isBefore(next(before[level], level), prefix, key, 0, keyLength, trailer)) {
      level++;
    }
    int left = level == 0 ? 0 : before[level - 1];
    for (level--; level >= 0; level--) {
      int right;
      while (isBefore(right = next(left, level), prefix, key, 0, keyLength, trailer)) {
        left = right;
      }
      before[level] = left;
    }
  }

  private void link(int node, int levels) {
    for (int level = 0; level < levels; level++) {
      setNext(node, level, next(before[level], level));
    }
    for (int level = 0; level < levels; level++) {
      publishNext(before[level], level, node);
      before[level] = node;
    }
    if (levels > height) {
      height = levels;
    }
  }

  /**
   * True if the place is right behind the last insertion on all levels that count, as it is when
   * keys come in order; {@link #before} needs no search then.
   */
  private boolean followsLast(
      int levels, long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    if (before[0] != head && !isBefore(before[0], prefix, key, keyFrom, keyLength, trailer)) {
      return false;
    }
    for (int level = 0; level < levels; level++) {
      if (isBefore(next(before[level], level), prefix, key, keyFrom, keyLength, trailer)) {
        return false;
      }
    }
    return true;
  }

  private void findBefore(long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    int left = head;
    int right = 0;
    for (int level = height - 1; level >= 0; level--) {
      int known = right;
      while ((right = next(left, level)) != known
          && isBefore(right, prefix, key, keyFrom, keyLength, trailer)) {
        left = right;
      }
      before[level] = left;
    }
    assert right == 0 || compare(right, prefix, key, keyFrom, keyLength, trailer) > 0;
  }

  /** The first node at or behind the place of key and trailer, or 0. */
  int seek(byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    int left = head;
    int right = 0;
    for (int level = height - 1; level >= 0; level--) {
      int known = right;
      while ((right = next(left, level)) != known
          && isBefore(right, prefix, key, keyFrom, keyLength, trailer)) {
        left = right;
      }
    }
    return right;
  }

  /** The last node before the place of key and trailer, or 0. */
  int seekBefore(byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    int left = head;
    int right = 0;
    for (int level = height - 1; level >= 0; level--) {
      int known = right;
      while ((right = next(left, level)) != known
          && isBefore(right, prefix, key, keyFrom, keyLength, trailer)) {
        left = right;
      }
    }
    return left == head ? 0 : left;
  }

  int first() {
    return next(head, 0);
  }

  int last() {
    int node = head;
    for (int level = height - 1; level >= 0; level--) {
      int right;
      while ((right = next(node, level)) != 0) {
        node = right;
      }
    }
    return node == head ? 0 : node;
  }

  int next(int node) {
    return next(node, 0);
  }

  boolean hasKey(int node, byte[] key, int keyFrom, int keyLength) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    if (prefix(node) != prefix) {
      return false;
    }
    int body = body(node);
    ByteBuffer chunk = arena.chunkOf(body);
    return NodeLayout.compareRest(chunk, Arena.positionOf(body), key, keyFrom, keyLength) == 0;
  }

  /** The first eight bytes of the node's key. */
  long prefix(int node) {
    return arena.chunkOf(node).getLong(Arena.positionOf(node));
  }

  /** Reads a little of the next so many entries; their memory then arrives all at once. */
  long fetch(int node, int count) {
    long sum = 0;
    int present = next(node);
    for (int i = 0; i < count && present != 0; i++) {
      int body = body(present);
      ByteBuffer chunk = arena.chunkOf(body);
      int b = Arena.positionOf(body);
      sum += chunk.getLong(b) + chunk.get(Math.min(b + 64, chunk.capacity() - 1));
      present = next(present);
    }
    return sum;
  }

  /** The address of the rest of the node's entry. */
  int body(int node) {
    return arena.chunkOf(node).getInt(Arena.positionOf(node) + NodeLayout.BODY);
  }

  /** False for 0, which stands for the end of the list. */
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
    int b = Arena.positionOf(body);
    int order = NodeLayout.compareRest(chunk, b, key, keyFrom, keyLength);
    return order != 0 ? order : Long.compare(trailer, chunk.getLong(b));
  }

  private int next(int node, int level) {
    return (int) LINK.getAcquire(arena.chunkOf(node), linkPosition(node, level));
  }

  private void setNext(int node, int level, int next) {
    LINK.set(arena.chunkOf(node), linkPosition(node, level), next);
  }

  private void publishNext(int node, int level, int next) {
    LINK.setRelease(arena.chunkOf(node), linkPosition(node, level), next);
  }

  private static int linkPosition(int node, int level) {
    return Arena.positionOf(node) + NodeLayout.NEXT + Integer.BYTES * level;
  }

  /** One level more with a chance of 1/4 each; xorshift64 (Marsaglia, 2003). */
  int randomHeight() {
    randomState ^= randomState << 13;
    randomState ^= randomState >>> 7;
    randomState ^= randomState << 17;
    int quarters = Long.numberOfTrailingZeros(randomState) / 2;
    return Math.min(NodeLayout.MAX_HEIGHT, 1 + quarters);
  }
}
