// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Blocks of tables outside the heap, verified and uncompressed, so that a block that is read again
 * is neither read from its file, nor verified, nor restored. Scan-resistant: blocks read once leave
 * before those read twice. Safe to share between threads; a hit takes no lock and allocates
 * nothing.
 *
 * <p>A block is named by its table's number and its offset there. A store gives a number once, and
 * a table never changes, so what is here stays right: the blocks of removed tables are not asked
 * for any more and leave like others. What is put here must have been verified.
 *
 * <p>Memory is taken from the ledger chunk by chunk while blocks come, up to a limit and to half of
 * the ledger for the caches of all its stores; where the ledger has none left, the cache makes do
 * with what it has. It is given back when the cache is closed.
 */
public final class BlockCache {

  /** The least capacity: room for some blocks of the usual size on trial and in the main queue. */
  public static final long MIN_BYTES = 64 << 10;

  /** The largest: all shards with all the chunks that a slot can name. */
  public static final long MAX_BYTES = 64L << 30;

  /** Caches of one ledger take no more than this share of it. */
  public static final int LEDGER_SHARE = 2;

  /** No cache. */
  static final BlockCache OFF = new BlockCache();

  private static final int MAX_SHARDS = 64;
  private static final long MIN_SHARD_BYTES = 4 << 20;

  /** So that emptying a chunk, which one read has to wait for, takes some ten microseconds. */
  private static final int MAX_CHUNK_BYTES = 256 << 10;

  private static final int MIN_CHUNK_BYTES = 8 << 10;
  private static final int CHUNKS_OF_SHARD = 16;

  /** For each block that fits, slots for it and for a ghost. */
  private static final int SLOTS_OF_BLOCK = 2;

  /** Odd constants of splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014). */
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private static final long MIX_1 = 0xBF58476D1CE4E5B9L;
  private static final long MIX_2 = 0x94D049BB133111EBL;

  private static final int SHARD_SHIFT = 40;

  private final boolean direct;
  private final MemoryBudget budget;
  private final DirectMemory allocator;

  /** An element is null until the first block comes there. */
  private final AtomicReferenceArray<CacheShard> shards;

  /** True once it took blocks of a file without a mapping; its memory then stays in use. */
  private volatile boolean unmapped;

  private final int shardMask;
  private final int buckets;
  private final int chunkBytes;
  private final int chunksOfShard;

  /** Memory of the indexes, by shard; guarded by this. */
  private final OffHeap[] indexes;

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder inserts = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  private BlockCache() {
    this.direct = false;
    this.budget = null;
    this.allocator = null;
    this.shards = new AtomicReferenceArray<>(0);
    this.shardMask = 0;
    this.buckets = 0;
    this.chunkBytes = 0;
    this.chunksOfShard = 0;
    this.indexes = new OffHeap[0];
  }

  private BlockCache(
      MemoryBudget budget, DirectMemory allocator, BlockCacheOptions options, int blockBytes) {
    long capacity = options.bytes();
    this.direct = options.direct();
    this.budget = budget;
    this.allocator = allocator;
    int count = (int) clamp(Long.highestOneBit(capacity / MIN_SHARD_BYTES), 1, MAX_SHARDS);
    long shardBytes = capacity / count;
    long blocks = shardBytes / CacheShard.size(blockBytes);
    this.buckets =
        (int) Math.max(1, Long.highestOneBit(2 * SLOTS_OF_BLOCK * blocks - 1) / CacheIndex.WAYS);
    this.chunkBytes =
        (int)
            clamp(
                Long.highestOneBit(shardBytes / CHUNKS_OF_SHARD), MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
    this.chunksOfShard = (int) ((shardBytes - CacheIndex.bytes(buckets + 2)) / chunkBytes);
    this.shards = new AtomicReferenceArray<>(count);
    this.shardMask = count - 1;
    this.indexes = new OffHeap[count];
  }

  /**
   * A cache without blocks.
   *
   * @param blockBytes of a usual block; smaller ones fill the index before the memory
   */
  static BlockCache of(
      MemoryBudget budget, DirectMemory allocator, BlockCacheOptions options, int blockBytes) {
    return options.bytes() == 0 ? OFF : new BlockCache(budget, allocator, options, blockBytes);
  }

  private static long clamp(long value, long least, long most) {
    return Math.max(least, Math.min(value, most));
  }

  /** Of a block; its bits are used for shard, bucket and tag. */
  static long hash(long table, long offset) {
    long x = table * GAMMA + offset;
    x = (x ^ (x >>> 30)) * MIX_1;
    x = (x ^ (x >>> 27)) * MIX_2;
    return x ^ (x >>> 31);
  }

  private int shard(long hash) {
    return (int) (hash >>> SHARD_SHIFT) & shardMask;
  }

  /** Which blocks of a table are worth a place here. */
  Caching of(boolean compressed, boolean mapped) {
    if (!mapped && !unmapped) {
      unmapped = true;
    }
    return Caching.of(this, compressed, mapped, direct || unmapped);
  }

  /** False if there is no cache at all. */
  boolean enabled() {
    return shards.length() > 0;
  }

  /**
   * Copies a block out.
   *
   * @param target its array then holds the block
   * @return the block's length, or -1 if it is not here
   */
  int get(long table, long offset, BlockBuffer target) {
    if (!enabled()) {
      return -1;
    }
    long hash = hash(table, offset);
    CacheShard shard = shards.getAcquire(shard(hash));
    int length = shard == null ? -1 : shard.get(hash, table, offset, target);
    (length < 0 ? misses : hits).increment();
    return length;
  }

  /** True if a block is here at present; not counted. */
  boolean contains(long table, long offset) {
    if (!enabled()) {
      return false;
    }
    long hash = hash(table, offset);
    CacheShard shard = shards.getAcquire(shard(hash));
    return shard != null && shard.contains(hash, table, offset);
  }

  /**
   * Takes a verified, uncompressed block in, if there is room for it and no other thread is just
   * taking one in beside it. The bytes are copied.
   */
  void put(long table, long offset, byte[] block, int length) {
    if (!enabled() || CacheShard.size(length) > chunkBytes) {
      return;
    }
    long hash = hash(table, offset);
    CacheShard shard = shards.getAcquire(shard(hash));
    if (shard == null) {
      shard = begin(shard(hash));
    }
    if (shard != null && shard.put(hash, table, offset, block, length)) {
      inserts.increment();
    }
  }

  private synchronized CacheShard begin(int number) {
    CacheShard shard = shards.getAcquire(number);
    if (shard == null) {
      OffHeap index = allocate(CacheIndex.bytes(buckets), CacheIndex.bytes(1));
      if (index == null) {
        return null;
      }
      indexes[number] = index;
      shard =
          new CacheShard(
              new CacheIndex(index.bytes(), buckets),
              chunksOfShard,
              chunkBytes,
              () -> allocate(chunkBytes, 1),
              evictions);
      shards.setRelease(number, shard);
    }
    return shard;
  }

  /** Null if the ledger or the JVM has no room. */
  private OffHeap allocate(int length, int align) {
    if (budget.usedBytes(Role.CACHE) + length > budget.capacityBytes() / LEDGER_SHARE) {
      return null;
    }
    try {
      OffHeap memory = OffHeap.allocate(allocator, budget, Role.CACHE, length, align);
      if (memory != null) {
        bytes.add(memory.reservedBytes());
      }
      return memory;
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** What happened here so far. */
  public Figures figures() {
    return new Figures(hits.sum(), misses.sum(), inserts.sum(), evictions.sum(), bytes.sum());
  }

  /**
   * Counts since the cache was made. A value.
   *
   * @param hits blocks found
   * @param misses blocks sought and not found
   * @param inserts blocks taken in
   * @param evictions blocks that left
   * @param bytes memory held now
   */
  public record Figures(long hits, long misses, long inserts, long evictions, long bytes) {}

  /** Gives all memory back; nobody reads or writes any more. Idempotent. */
  synchronized void close() {
    for (int i = 0; i < indexes.length; i++) {
      CacheShard shard = shards.getAndSet(i, null);
      if (shard != null) {
        shard.free();
        indexes[i].free();
        indexes[i] = null;
      }
    }
    bytes.reset();
  }
}
