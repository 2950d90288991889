// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Index of one shard of the block cache: {@link CacheEntry} numbers in buckets of eight entries,
 * one cache line each. A block is stored only in the bucket of its hash; with half of the entries
 * in use, one block in a hundred finds its bucket full. Any number of threads read it and one
 * thread at a time writes it. Hit counts are the exception: any thread adds them.
 */
final class CacheIndex {

  static final int WAYS = 8;
  private static final int BUCKET_BYTES = WAYS * Long.BYTES;

  private static final VarHandle ENTRY =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer entries;
  private final int mask;

  /**
   * Creates an empty index on memory whose address and length are multiples of {@link
   * #BUCKET_BYTES}. The constructor zeroes the memory: since Java 24 an allocator may return bytes
   * that an earlier owner wrote.
   */
  CacheIndex(ByteBuffer memory, int buckets) {
    assert Integer.bitCount(buckets) == 1 : buckets;
    for (int at = 0; at < bytes(buckets); at += Long.BYTES) {
      memory.putLong(at, 0);
    }
    this.entries = memory;
    this.mask = buckets - 1;
  }

  static int bytes(int buckets) {
    return buckets * BUCKET_BYTES;
  }

  /**
   * Returns the position of the bucket of a hash; its entries follow at {@link Long#BYTES} each.
   */
  int bucket(long hash) {
    return ((int) hash & mask) * BUCKET_BYTES;
  }

  /**
   * Returns the entry at a position, with acquire semantics: the bytes that it points to are
   * visible too.
   */
  long entry(int at) {
    return (long) ENTRY.getAcquire(entries, at);
  }

  /**
   * Increments the hit count of an entry, unless the entry has changed or its count has reached the
   * maximum.
   */
  void hit(int at, long entry) {
    if (CacheEntry.hits(entry) < CacheEntry.MAX_HITS) {
      ENTRY.weakCompareAndSetPlain(entries, at, entry, entry + CacheEntry.ONE_HIT);
    }
  }

  /**
   * Returns the position of the entry of a stored block, with any hit count; -1 if there is none.
   *
   * @param place the entry without hits
   */
  int find(long hash, long place) {
    int bucket = bucket(hash);
    for (int at = bucket; at < bucket + BUCKET_BYTES; at += Long.BYTES) {
      if (CacheEntry.withHits(entry(at), 0) == place) {
        return at;
      }
    }
    return -1;
  }

  /** Returns the position of a ghost with the tag of a hash; -1 if there is none. */
  int findGhost(long hash) {
    int bucket = bucket(hash);
    long tag = CacheEntry.tag(hash);
    for (int at = bucket; at < bucket + BUCKET_BYTES; at += Long.BYTES) {
      if (CacheEntry.isGhost(entry(at), tag)) {
        return at;
      }
    }
    return -1;
  }

  /** Publishes an entry at a position, with release semantics. */
  void set(int at, long entry) {
    ENTRY.setRelease(entries, at, entry);
  }

  /**
   * Returns the position for a new block of a hash: an empty entry, or the one with the oldest
   * ghost; -1 if blocks fill the bucket.
   *
   * @param time units put into the shard up to now
   */
  int room(long hash, long time) {
    int bucket = bucket(hash);
    int best = -1;
    long oldest = -1;
    for (int at = bucket; at < bucket + BUCKET_BYTES; at += Long.BYTES) {
      long entry = entry(at);
      if (entry == 0) {
        return at;
      }
      if (CacheEntry.isGhost(entry) && CacheEntry.age(entry, time) > oldest) {
        best = at;
        oldest = CacheEntry.age(entry, time);
      }
    }
    return best;
  }
}
