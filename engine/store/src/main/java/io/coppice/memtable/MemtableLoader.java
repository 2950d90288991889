// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Limits;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryKind;
import java.util.Arrays;

/**
 * Bulk loader of a memtable that no thread reads yet. Entries are written as they arrive and linked
 * in batches by key order, so that each search finds the nodes of the one before in the cache. Used
 * by one thread at a time.
 */
public final class MemtableLoader {

  private static final int INDEX_BITS = 22;
  private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

  /**
   * Heap bytes per entry of a batch: an element of the array that is kept, and one of an array made
   * for each batch.
   */
  private static final int BATCH_ENTRY_BYTES = Integer.BYTES + Long.BYTES;

  private static final int HEAP_SHARE = 8;

  /** Maximum number of entries per batch. Fewer and larger batches pass over less of the list. */
  private static final int BATCH =
      (int) Math.min(INDEX_MASK, Runtime.getRuntime().maxMemory() / HEAP_SHARE / BATCH_ENTRY_BYTES);

  /**
   * Number of nodes whose memory is accessed before the first of them is linked, so that their
   * cache misses overlap.
   */
  private static final int TOGETHER = 32;

  private static final int FIRST_CAPACITY = 1 << 10;

  private final Memtable memtable;
  private final EntryList list;

  private int[] nodes = new int[FIRST_CAPACITY];
  private int pending;

  /** First key of the batch; {@code common} is the length of the prefix that all its keys share. */
  private byte[] first = Bytes.EMPTY;

  private int common;

  MemtableLoader(Memtable memtable, EntryList list) {
    this.memtable = memtable;
    this.list = list;
  }

  /**
   * Adds an entry, as {@link Memtable#add} does; searches find it after {@link #finish}.
   *
   * @return whether memory was available; otherwise nothing changed
   */
  public boolean add(
      long sequence,
      EntryKind kind,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    assert sequence >= 0 && sequence <= Limits.MAX_SEQUENCE : sequence;
    if (kind == EntryKind.DELETE_RANGE) {
      return memtable.addRange(sequence, key, keyFrom, keyLength, value, valueFrom, valueLength);
    }
    if (pending == BATCH) {
      finish();
    }
    long trailer = EntryNodeLayout.trailer(sequence, kind.code());
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

  /** Returns the memtable being loaded, without a reference of its own. */
  public Memtable memtable() {
    return memtable;
  }

  /**
   * Links the remaining entries, so that searches find them. Called once, after the last {@link
   * #add}.
   */
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
