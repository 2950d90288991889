// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.bytes.Bytes;
import java.util.Collection;

/**
 * Merging cursor: shows the entries of several cursors as one sequence in {@link EntryOrder}, with
 * all versions of a key. It owns its sources and closes them. Not safe to share between threads.
 *
 * <p>A binary heap of source numbers yields the next entry. Arrays hold key range, sequence number
 * and the key's first eight bytes of each source's entry, so that most comparisons access no
 * cursor. A change of direction repositions all sources around the present entry. A move that fails
 * leaves the cursor without a position.
 */
public final class MergingCursor implements EntryCursor {

  private final EntryCursor[] sources;
  private final byte[][] keys;
  private final int[] keyOffsets;
  private final int[] keyLengths;
  private final long[] prefixes;
  private final long[] sequences;

  /** Heap of the numbers of the sources with an entry; the source with the next entry is first. */
  private final int[] heap;

  private int size;
  private boolean backward;

  /**
   * Creates a cursor that owns the sources.
   *
   * @param sources newest first, which decides between equal entries
   */
  public MergingCursor(Collection<? extends EntryCursor> sources) {
    this.sources = sources.toArray(new EntryCursor[0]);
    int count = this.sources.length;
    keys = new byte[count][];
    keyOffsets = new int[count];
    keyLengths = new int[count];
    prefixes = new long[count];
    sequences = new long[count];
    heap = new int[count];
  }

  @Override
  public boolean valid() {
    return size > 0;
  }

  @Override
  public void first() {
    size = 0;
    for (EntryCursor source : sources) {
      source.first();
    }
    build(false);
  }

  @Override
  public void last() {
    size = 0;
    for (EntryCursor source : sources) {
      source.last();
    }
    build(true);
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    size = 0;
    for (EntryCursor source : sources) {
      source.seek(key, offset, length, sequence);
    }
    build(false);
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    size = 0;
    for (EntryCursor source : sources) {
      source.seekBefore(key, offset, length, sequence);
    }
    build(true);
  }

  @Override
  public void next() {
    move(false);
  }

  @Override
  public void prev() {
    move(true);
  }

  private void move(boolean towardsFirst) {
    assert valid() : "moved from no entry";
    int count = size;
    size = 0;
    if (backward != towardsFirst) {
      turn(heap[0], towardsFirst);
      return;
    }
    int top = heap[0];
    step(top, towardsFirst);
    if (sources[top].valid()) {
      take(top);
      size = count;
    } else {
      size = count - 1;
      heap[0] = heap[size];
    }
    if (size > 1) {
      siftDown(0);
    }
  }

  /**
   * Changes direction: moves every other source to its first entry beyond that of {@code top}, then
   * moves {@code top}.
   *
   * @param top number of the source with the present entry
   */
  private void turn(int top, boolean towardsFirst) {
    for (int i = 0; i < sources.length; i++) {
      if (i == top) {
        continue;
      }
      // An entry equal to that of top may be on either side, so the loop below decides about it.
      if (towardsFirst) {
        sources[i].seekBefore(keys[top], keyOffsets[top], keyLengths[top], sequences[top] - 1);
      } else {
        sources[i].seek(keys[top], keyOffsets[top], keyLengths[top], sequences[top]);
      }
      while (sources[i].valid()) {
        take(i);
        if (order(i, top) < 0 == towardsFirst) {
          break;
        }
        step(i, towardsFirst);
      }
    }
    step(top, towardsFirst);
    build(towardsFirst);
  }

  private void step(int source, boolean towardsFirst) {
    if (towardsFirst) {
      sources[source].prev();
    } else {
      sources[source].next();
    }
  }

  private void build(boolean towardsFirst) {
    backward = towardsFirst;
    int count = 0;
    for (int i = 0; i < sources.length; i++) {
      if (sources[i].valid()) {
        take(i);
        heap[count++] = i;
      }
    }
    size = count;
    for (int i = size / 2 - 1; i >= 0; i--) {
      siftDown(i);
    }
  }

  private void take(int source) {
    EntryCursor cursor = sources[source];
    byte[] key = cursor.keyArray();
    int offset = cursor.keyOffset();
    int length = cursor.keyLength();
    keys[source] = key;
    keyOffsets[source] = offset;
    keyLengths[source] = length;
    prefixes[source] = Bytes.prefix(key, offset, length);
    sequences[source] = cursor.sequence();
  }

  private void siftDown(int start) {
    int moving = heap[start];
    int hole = start;
    int child;
    while ((child = 2 * hole + 1) < size) {
      if (child + 1 < size && comesBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!comesBefore(heap[child], moving)) {
        break;
      }
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = moving;
  }

  private boolean comesBefore(int a, int b) {
    return order(a, b) < 0 != backward;
  }

  /**
   * Compares the present entries of two sources by their numbers; never 0 for different sources.
   */
  private int order(int a, int b) {
    if (prefixes[a] != prefixes[b]) {
      return Long.compareUnsigned(prefixes[a], prefixes[b]);
    }
    int order =
        Bytes.compare(keys[a], keyOffsets[a], keyLengths[a], keys[b], keyOffsets[b], keyLengths[b]);
    if (order != 0) {
      return order;
    }
    return sequences[a] != sequences[b] ? Long.compare(sequences[b], sequences[a]) : a - b;
  }

  private EntryCursor top() {
    assert valid() : "read from no entry";
    return sources[heap[0]];
  }

  @Override
  public byte[] keyArray() {
    return keys[heap[0]];
  }

  @Override
  public int keyOffset() {
    return keyOffsets[heap[0]];
  }

  @Override
  public int keyLength() {
    return keyLengths[heap[0]];
  }

  @Override
  public long sequence() {
    return sequences[heap[0]];
  }

  @Override
  public EntryKind kind() {
    return top().kind();
  }

  @Override
  public byte[] valueArray() {
    return top().valueArray();
  }

  @Override
  public int valueOffset() {
    return top().valueOffset();
  }

  @Override
  public int valueLength() {
    return top().valueLength();
  }

  @Override
  public void close() {
    size = 0;
    for (EntryCursor source : sources) {
      source.close();
    }
  }
}
