// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

import com.google.common.primitives.Longs;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.OffHeapMemory;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Off-heap cache of verified, decompressed blocks. A hit saves the read, the verification and the
 * decompression. The cache resists scans: blocks read once leave before blocks read twice. Safe to
 * share between threads; a hit takes no lock and allocates nothing.
 *
 * <p>The key of a block is its table's number and its offset. A store uses each number once and
 * tables are immutable, so entries stay valid. Blocks of deleted tables are no longer requested and
 * are evicted like others. Callers put only verified blocks.
 *
 * <p>The cache reserves memory from the memory budget chunk by chunk, up to its capacity and up to
 * half of the budget for the caches of all its stores. If the budget is exhausted, the cache works
 * with the chunks that it has. A cache that is closed gives all memory back to the budget.
 */
public final class BlockCache {

  /**
   * Smallest capacity in bytes: room for several blocks of the usual size in the trial queue and in
   * the main queue.
   */
  public static final long MIN_BYTES = 64 << 10;

  /** Largest capacity in bytes: all shards with all chunks that an entry can address. */
  public static final long MAX_BYTES = 64L << 30;

  /**
   * Divisor of the memory budget: the caches of all its stores take at most this part of it
   * together.
   */
  public static final int BUDGET_SHARE = 2;

  /** Cache that holds nothing. */
  public static final BlockCache OFF = new BlockCache();

  private static final int MAX_SHARDS = 64;
  private static final long MIN_SHARD_BYTES = 4 << 20;

  /**
   * Largest chunk in bytes. It bounds the wait of a read that empties a chunk to about ten
   * microseconds.
   */
  private static final int MAX_CHUNK_BYTES = 256 << 10;

  private static final int MIN_CHUNK_BYTES = 8 << 10;
  private static final int CHUNKS_OF_SHARD = 16;

  /** Index entries per block that fits: one for the block and one for a ghost. */
  private static final int ENTRIES_PER_BLOCK = 2;

  /** Constants of splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014). */
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private static final long MIX_1 = 0xBF58476D1CE4E5B9L;
  private static final long MIX_2 = 0x94D049BB133111EBL;

  private static final int SHARD_SHIFT = 40;

  private final boolean direct;
  private final MemoryBudget budget;
  private final OffHeapAllocator allocator;

  /** Shards by number; null until the shard receives its first block. */
  private final AtomicReferenceArray<CacheShard> shards;

  /**
   * Whether the cache has held blocks of a file that was not mapped; it then stays in use for
   * blocks outside memory.
   */
  private volatile boolean unmapped;

  private final int shardMask;
  private final int buckets;
  private final int chunkBytes;
  private final int chunksOfShard;

  /** Memory of the indexes by shard. */
  @GuardedBy("this")
  private final OffHeapMemory[] indexes;

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
    this.indexes = new OffHeapMemory[0];
  }

  private BlockCache(
      MemoryBudget budget, OffHeapAllocator allocator, BlockCacheOptions options, int blockBytes) {
    long capacity = options.bytes();
    this.direct = options.direct();
    this.budget = budget;
    this.allocator = allocator;
    int count =
        (int) Longs.constrainToRange(Long.highestOneBit(capacity / MIN_SHARD_BYTES), 1, MAX_SHARDS);
    long shardBytes = capacity / count;
    long blocks = shardBytes / CacheShard.size(blockBytes);
    this.buckets =
        (int) Math.max(1, Long.highestOneBit(2 * ENTRIES_PER_BLOCK * blocks - 1) / CacheIndex.WAYS);
    this.chunkBytes =
        (int)
            Longs.constrainToRange(
                Long.highestOneBit(shardBytes / CHUNKS_OF_SHARD), MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
    this.chunksOfShard = (int) ((shardBytes - CacheIndex.bytes(buckets + 2)) / chunkBytes);
    this.shards = new AtomicReferenceArray<>(count);
    this.shardMask = count - 1;
    this.indexes = new OffHeapMemory[count];
  }

  /**
   * Creates an empty cache, which the caller closes, or returns {@link #OFF} if its capacity is 0.
   * It reserves memory with its first blocks.
   *
   * @param blockBytes usual size of a decompressed block; with smaller blocks the index fills
   *     before the memory does
   */
  public static BlockCache of(
      MemoryBudget budget, OffHeapAllocator allocator, BlockCacheOptions options, int blockBytes) {
    return options.bytes() == 0 ? OFF : new BlockCache(budget, allocator, options, blockBytes);
  }

  /** Returns the hash of a block's key; the cache takes shard, bucket and tag from its bits. */
  static long hash(long table, long offset) {
    long x = table * GAMMA + offset;
    x = (x ^ (x >>> 30)) * MIX_1;
    x = (x ^ (x >>> 27)) * MIX_2;
    return x ^ (x >>> 31);
  }

  private int shard(long hash) {
    return (int) (hash >>> SHARD_SHIFT) & shardMask;
  }

  /**
   * Returns the kind of blocks that the cache admits from a table. The first unmapped table also
   * lets cold blocks of mapped tables in.
   */
  public CacheAdmission of(boolean compressed, boolean mapped) {
    if (!mapped && !unmapped) {
      unmapped = true;
    }
    return CacheAdmission.of(this, compressed, mapped, direct || unmapped);
  }

  /** Returns whether there is a cache. */
  boolean enabled() {
    return shards.length() > 0;
  }

  /**
   * Copies a block to the target.
   *
   * @param target receives the block in its array
   * @param table the table's file number
   * @param offset offset of the block in the file
   * @return the block's length, decompressed and without the trailer, or -1 if it is absent
   */
  public int get(long table, long offset, BlockBuffer target) {
    if (!enabled()) {
      return -1;
    }
    long hash = hash(table, offset);
    CacheShard shard = shards.getAcquire(shard(hash));
    int length = shard == null ? -1 : shard.get(hash, table, offset, target);
    (length < 0 ? misses : hits).increment();
    return length;
  }

  /**
   * Returns whether the cache holds a block now, which may be evicted before a {@link #get}. Counts
   * no hit or miss.
   */
  public boolean contains(long table, long offset) {
    if (!enabled()) {
      return false;
    }
    long hash = hash(table, offset);
    CacheShard shard = shards.getAcquire(shard(hash));
    return shard != null && shard.contains(hash, table, offset);
  }

  /**
   * Copies a verified, decompressed block into the cache. It skips a block that is present or finds
   * no room, or whose shard another thread is writing.
   */
  public void put(long table, long offset, byte[] block, int length) {
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
      OffHeapMemory index = allocate(CacheIndex.bytes(buckets), CacheIndex.bytes(1));
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

  /** Allocates memory, or returns null if the memory budget or the JVM has none left. */
  private OffHeapMemory allocate(int length, int align) {
    if (budget.usedBytes(Role.CACHE) + length > budget.capacityBytes() / BUDGET_SHARE) {
      return null;
    }
    try {
      OffHeapMemory memory = OffHeapMemory.allocate(allocator, budget, Role.CACHE, length, align);
      if (memory != null) {
        bytes.add(memory.reservedBytes());
      }
      return memory;
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** Returns the counts since the cache was created. */
  public Figures figures() {
    return new Figures(hits.sum(), misses.sum(), inserts.sum(), evictions.sum(), bytes.sum());
  }

  /**
   * Counts since the cache was created, and its memory.
   *
   * @param hits lookups that found their block
   * @param misses lookups that did not
   * @param inserts blocks added
   * @param evictions blocks evicted
   * @param bytes bytes of the memory budget reserved now, the indexes included
   */
  public record Figures(long hits, long misses, long inserts, long evictions, long bytes) {}

  /**
   * Gives all memory back to the memory budget. The caller makes sure that no thread uses the cache
   * any longer. Idempotent.
   */
  public synchronized void close() {
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
