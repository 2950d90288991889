// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where the blocks of one shard lie: {@link CacheSlot} numbers in buckets of eight, one cache line
 * each. A block is in the bucket of its hash or nowhere, so one in a hundred finds no room if half
 * of the slots have blocks. Read by any number of threads, written by one at a time but for hits,
 * which any thread adds.
 */
final class CacheIndex {

  static final int WAYS = 8;
  private static final int BUCKET_BYTES = WAYS * Long.BYTES;

  private static final VarHandle SLOT =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer slots;
  private final int mask;

  /**
   * On memory whose address and length are multiples of {@link #BUCKET_BYTES}. What is in it goes:
   * from Java 24 on an allocator may leave there what an earlier owner wrote.
   */
  CacheIndex(ByteBuffer memory, int buckets) {
    assert Integer.bitCount(buckets) == 1 : buckets;
    for (int at = 0; at < bytes(buckets); at += Long.BYTES) {
      memory.putLong(at, 0);
    }
    this.slots = memory;
    this.mask = buckets - 1;
  }

  static int bytes(int buckets) {
    return buckets * BUCKET_BYTES;
  }

  /** Where the bucket of a hash begins; its slots follow at {@link Long#BYTES} each. */
  int bucket(long hash) {
    return ((int) hash & mask) * BUCKET_BYTES;
  }

  /** The slot at a place; what it leads to is visible too. */
  long slot(int at) {
    return (long) SLOT.getAcquire(slots, at);
  }

  /** Counts a hit, if nothing has changed the slot meanwhile and it does not count many already. */
  void hit(int at, long slot) {
    if (CacheSlot.hits(slot) < CacheSlot.MAX_HITS) {
      SLOT.weakCompareAndSetPlain(slots, at, slot, slot + CacheSlot.ONE_HIT);
    }
  }

  /** Where a slot stands that leads to a place, whatever its hits; -1 if there is none. */
  int find(long hash, long place) {
    int bucket = bucket(hash);
    for (int at = bucket; at < bucket + BUCKET_BYTES; at += Long.BYTES) {
      if (CacheSlot.withHits(slot(at), 0) == place) {
        return at;
      }
    }
    return -1;
  }

  /** Where a ghost of a hash stands; -1 if there is none. */
  int findGhost(long hash) {
    int bucket = bucket(hash);
    long tag = CacheSlot.tag(hash);
    for (int at = bucket; at < bucket + BUCKET_BYTES; at += Long.BYTES) {
      if (CacheSlot.isGhost(slot(at), tag)) {
        return at;
      }
    }
    return -1;
  }

  /** Publishes a slot at a place. */
  void set(int at, long slot) {
    SLOT.setRelease(slots, at, slot);
  }

  /**
   * Where a block of a hash may be entered: where nothing is, or the ghost that left first; -1 if
   * the bucket is full of blocks.
   */
  int room(long hash, long time) {
    int bucket = bucket(hash);
    int best = -1;
    long oldest = -1;
    for (int at = bucket; at < bucket + BUCKET_BYTES; at += Long.BYTES) {
      long slot = slot(at);
      if (slot == 0) {
        return at;
      }
      if (CacheSlot.isGhost(slot) && CacheSlot.age(slot, time) > oldest) {
        best = at;
        oldest = CacheSlot.age(slot, time);
      }
    }
    return best;
  }
}
