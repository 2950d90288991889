// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryBatchReader;
import io.coppice.entry.EntryKind;
import io.coppice.table.filter.KeyHash;
import java.util.Arrays;

/**
 * Hashes of the keys that the batches of a write group change. They show whether a condition
 * concerns a key that an earlier batch of its group writes; such a batch must wait for the next
 * group. Two keys with the same hash count as one, which at worst ends a group early. Used by the
 * leader of the write queue.
 */
final class GroupKeys {

  private static final int FIRST_SLOTS = 256;

  /** Hash table with open addressing, at most half full; 0 marks a free slot. */
  private long[] slots = new long[FIRST_SLOTS];

  private int size;
  private boolean everything;

  void clear() {
    if (size > 0) {
      Arrays.fill(slots, 0);
    }
    size = 0;
    everything = false;
  }

  /** Adds all keys of a batch; after a range deletion the set may contain every key. */
  void add(EntryBatch batch, EntryBatchReader reader) {
    batch.read(reader);
    while (reader.next()) {
      // A range may contain any key.
      everything |= reader.kind() == EntryKind.DELETE_RANGE;
      add(hash(reader.array(), reader.keyFrom(), reader.keyLength()));
    }
  }

  boolean mayContain(byte[] key) {
    return everything || slots[place(slots, hash(key, 0, key.length))] != 0;
  }

  private void add(long hash) {
    if (2 * (size + 1) > slots.length) {
      long[] larger = new long[2 * slots.length];
      for (long other : slots) {
        if (other != 0) {
          larger[place(larger, other)] = other;
        }
      }
      slots = larger;
    }
    int place = place(slots, hash);
    size += slots[place] == 0 ? 1 : 0;
    slots[place] = hash;
  }

  private static int place(long[] slots, long hash) {
    int mask = slots.length - 1;
    int i = (int) hash & mask;
    while (slots[i] != 0 && slots[i] != hash) {
      i = (i + 1) & mask;
    }
    return i;
  }

  private static long hash(byte[] key, int from, int length) {
    return KeyHash.of(key, from, length) | 1;
  }
}
