// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import java.util.Arrays;

/**
 * Upper bound of the memory for a set of entries, computed before they are written anywhere: {@link
 * Memtable#ensure} then guarantees that adding them succeeds. Reusable; not safe to share between
 * threads.
 */
public final class MemoryDemand {

  private long smallBytes;
  private int[] large = new int[4];
  private int largeCount;

  /** Creates an empty demand. */
  public MemoryDemand() {}

  /** Removes all counted entries. */
  public void clear() {
    smallBytes = 0;
    largeCount = 0;
  }

  /** Counts an entry with a key and a value of these lengths. */
  public void add(int keyLength, int valueLength) {
    int bytes = EntryNodeLayout.bytes(keyLength, valueLength);
    if (bytes <= MemtableArena.LARGE_BYTES) {
      smallBytes += bytes;
      return;
    }
    if (largeCount == large.length) {
      large = Arrays.copyOf(large, 2 * largeCount);
    }
    large[largeCount++] = MemtableArena.chunkBytes(bytes);
  }

  /** Returns an upper bound of the bytes of the counted entries. */
  public long bytes() {
    long bytes = smallBytes;
    for (int i = 0; i < largeCount; i++) {
      bytes += large[i];
    }
    return bytes;
  }

  long smallBytes() {
    return smallBytes;
  }

  int largeCount() {
    return largeCount;
  }

  /** Returns the number of large entries with the size of this one, up to and including it. */
  int largeOfSameSize(int index) {
    int count = 0;
    for (int i = 0; i <= index; i++) {
      count += large[i] == large[index] ? 1 : 0;
    }
    return count;
  }

  int large(int index) {
    return large[index];
  }
}
