// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Nodes in entry order, linked one to the next, and a {@link Guide} to some of them. One thread
 * inserts at a time; any number read meanwhile without a lock: a node is written in full, then
 * linked with release, and links are followed with acquire. Nothing is ever removed.
 */
final class EntryList {

  private static final VarHandle LINK =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** Any odd number: the draws repeat from run to run. */
  private static final long SEED = 0x9E3779B97F4A7C15L;

  /** A node that lies so many behind the last one that the guide knows is made known to it. */
  private static final int MOST_STEPS = 4;

  /** So is one of so many that lie nearer; else one in front of all that are known never was. */
  private static final int KNOWN_SHARE = 16;

  private final Arena arena;
  private final int head;
  private Guide guide;

  // All below: of the last insertion; only the writer touches them.
  private int last;

  /** How many nodes lie behind the one that the guide has found or was told of, up to it. */
  private int steps;

  /** What it was linked behind. */
  private int left;

  /** True if the one before lay next to it, as it does when keys come in order. */
  private boolean inOrder;

  /** True if the one before lies next behind it, as it does when keys come from last to first. */
  private boolean inReverse;

  /** How many in a row were linked in front of the one before without a look at the guide. */
  private int unguided;

  private long randomState = SEED;

  private EntryList(Arena arena, int head) {
    this.arena = arena;
    this.head = head;
    this.last = head;
    this.left = head;
  }

  /** An empty list, or null if no memory could be had. */
  static EntryList create(Arena arena) {
    // The head has no body; its node lies at the end of a chunk, where no address is 0.
    if (!arena.allocate(0)) {
      return null;
    }
    EntryList list = new EntryList(arena, arena.node());
    NodeLayout.writeNode(arena.chunkOf(list.head), Arena.positionOf(list.head), 0, 0);
    list.setNext(list.head, 0);
    list.guide = Guide.create(arena, list, list.head);
    return list.guide == null ? null : list;
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
    int node = append(trailer, key, keyFrom, keyLength, value, valueFrom, valueLength);
    if (node == 0) {
      return false;
    }
    link(node, key, keyFrom, keyLength, trailer);
    return true;
  }

  /** Writes an entry that is in no list yet; 0 if no memory could be had. */
  int append(
      long trailer,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    if (!arena.allocate(NodeLayout.bodyBytes(keyLength, valueLength))) {
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

  /** Links an appended entry; cheap where its place is next to that of the last one. */
  void link(int node, byte[] key, int keyLength) {
    int body = body(node);
    link(node, key, 0, keyLength, arena.chunkOf(body).getLong(Arena.positionOf(body)));
  }

  private void link(int node, byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = prefix(node);
    if (inReverse
        && unguided < MOST_STEPS
        && !isBeforeOrHead(last, prefix, key, keyFrom, keyLength, trailer)
        && isBeforeOrHead(left, prefix, key, keyFrom, keyLength, trailer)) {
      link(node, left, last);
      unguided++;
      return;
    }
    int before = last;
    int behind = next(before);
    // What follows the last insertion lies far away in memory; where it is not foreseen that it
    // follows this one too, it is not looked at.
    boolean guided =
        (behind != 0 && !inOrder)
            || unguided > 0
            || !isBeforeOrHead(before, prefix, key, keyFrom, keyLength, trailer)
            || isBefore(behind, prefix, key, keyFrom, keyLength, trailer);
    if (guided) {
      before = guide.seekToAdd(prefix, key, keyFrom, keyLength, trailer);
      steps = 0;
      while (isBefore(behind = next(before), prefix, key, keyFrom, keyLength, trailer)) {
        before = behind;
        steps++;
      }
    }
    assert behind == 0 || compare(behind, prefix, key, keyFrom, keyLength, trailer) > 0;
    link(node, before, behind);
    if (steps >= MOST_STEPS || unguided >= MOST_STEPS || isDrawn()) {
      steps = guide.add(prefix, node, behind == 0) ? 0 : steps + 1;
    } else {
      steps++;
    }
    unguided = 0;
  }

  private void link(int node, int before, int behind) {
    inOrder = before == last;
    inReverse = behind == last;
    setNext(node, behind);
    publishNext(before, node);
    left = before;
    last = node;
  }

  /** The first node at or behind the place of key and trailer, or 0. */
  int seek(byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    int right = guide.seek(prefix, key, keyFrom, keyLength, trailer);
    do {
      right = next(right);
    } while (isBefore(right, prefix, key, keyFrom, keyLength, trailer));
    return right;
  }

  /** The last node before the place of key and trailer, or 0. */
  int seekBefore(byte[] key, int keyFrom, int keyLength, long trailer) {
    long prefix = Bytes.prefix(key, keyFrom, keyLength);
    int left = guide.seek(prefix, key, keyFrom, keyLength, trailer);
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
    int node = guide.last();
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

  /** True also for the head. */
  boolean isBeforeOrHead(
      int node, long prefix, byte[] key, int keyFrom, int keyLength, long trailer) {
    return node == head || compare(node, prefix, key, keyFrom, keyLength, trailer) < 0;
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

  int next(int node) {
    return (int) LINK.getAcquire(arena.chunkOf(node), Arena.positionOf(node) + NodeLayout.NEXT);
  }

  private void setNext(int node, int next) {
    LINK.set(arena.chunkOf(node), Arena.positionOf(node) + NodeLayout.NEXT, next);
  }

  private void publishNext(int node, int next) {
    LINK.setRelease(arena.chunkOf(node), Arena.positionOf(node) + NodeLayout.NEXT, next);
  }

  /** True for one of {@link #KNOWN_SHARE}; xorshift64 (Marsaglia, 2003). */
  private boolean isDrawn() {
    randomState ^= randomState << 13;
    randomState ^= randomState >>> 7;
    randomState ^= randomState << 17;
    return randomState % KNOWN_SHARE == 0;
  }
}
