// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Bytes;
import io.coppice.base.Limits;
import io.coppice.entry.Kind;
import java.util.Arrays;

/**
 * Adds many entries to a memtable that nobody reads meanwhile. They are written as they come, and
 * linked by batches in the order of their keys: what a search meets then the one before has met,
 * where else it lies far away in memory. Used by one thread at a time.
 */
public final class Loader {

  private static final int INDEX_BITS = 22;
  private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

  /** Of the heap at its largest: one array is kept, one is made for each batch. */
  private static final int BATCH_ENTRY_BYTES = Integer.BYTES + Long.BYTES;

  private static final int HEAP_SHARE = 8;

  /** Fewer and larger batches meet less of what is linked already. */
  private static final int BATCH =
      (int) Math.min(INDEX_MASK, Runtime.getRuntime().maxMemory() / HEAP_SHARE / BATCH_ENTRY_BYTES);

  /**
   * So many nodes are fetched from all over the memory before the first of them is linked: fetches
   * that do not depend on each other overlap.
   */
  private static final int TOGETHER = 32;

  private static final int FIRST_CAPACITY = 1 << 10;

  private final Memtable memtable;
  private final EntryList list;

  private int[] nodes = new int[FIRST_CAPACITY];
  private int pending;

  /** The first key of the batch, and how many of its bytes begin all keys of the batch. */
  private byte[] first = Bytes.EMPTY;

  private int common;

  Loader(Memtable memtable, EntryList list) {
    this.memtable = memtable;
    this.list = list;
  }

  /**
   * Adds an entry, as {@link Memtable#add}; it is found after {@link #finish}.
   *
   * @return false if no memory could be had; nothing changed then
   */
  public boolean add(
      long sequence,
      Kind kind,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    assert sequence >= 0 && sequence <= Limits.MAX_SEQUENCE : sequence;
    if (kind == Kind.DELETE_RANGE) {
      return memtable.addRange(sequence, key, keyFrom, keyLength, value, valueFrom, valueLength);
    }
    if (pending == BATCH) {
      finish();
    }
    long trailer = NodeLayout.trailer(sequence, kind.code());
    int node = list.append(trailer, key, keyFrom, keyLength, value, valueFrom, valueLength);
    if (node == 0) {
      return false;
    }
    if (pending == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * pending);
    }
    if (pending == 0) {
      first = Arrays.copyOfRange(key, keyFrom, keyFrom + keyLength);
      common = keyLength;
    } else {
      common = Bytes.commonPrefix(first, 0, common, key, keyFrom, keyLength);
    }
    nodes[pending++] = node;
    memtable.count(kind);
    return true;
  }

  /** What is added to. */
  public Memtable memtable() {
    return memtable;
  }

  /** Links what was added. */
  public void finish() {
    byte[] key = new byte[first.length + Long.BYTES];
    long[] order = new long[pending];
    for (int i = 0; i < pending; i++) {
      int length = memtable.keyLength(nodes[i]);
      key = key.length < length ? new byte[2 * length] : key;
      memtable.copyKey(nodes[i], length, key);
      long begin = Bytes.prefix(key, common, length - common);
      // Of equal keys the later entry comes first. The sign bit makes the order unsigned.
      order[i] = (begin >>> INDEX_BITS << INDEX_BITS | (INDEX_MASK - i)) ^ Long.MIN_VALUE;
    }
    Arrays.sort(order);
    int[] node = new int[TOGETHER];
    int[] length = new int[TOGETHER];
    for (int from = 0; from < order.length; from += TOGETHER) {
      int count = Math.min(TOGETHER, order.length - from);
      for (int i = 0; i < count; i++) {
        int index = INDEX_MASK - (int) (order[from + i] & INDEX_MASK);
        node[i] = nodes[index];
      }
      for (int i = 0; i < count; i++) {
        length[i] = memtable.keyLength(node[i]);
      }
      for (int i = 0; i < count; i++) {
        memtable.copyKey(node[i], length[i], key);
        list.link(node[i], key, length[i]);
      }
    }
    pending = 0;
  }
}
