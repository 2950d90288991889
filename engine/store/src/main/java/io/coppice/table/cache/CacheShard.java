// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.OffHeapMemory;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Part of the block cache: an index, and chunks of memory. A chunk is filled with blocks one after
 * the other and emptied as a whole; blocks inside a chunk are never moved or overwritten in place.
 *
 * <p>Eviction follows S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for
 * cache eviction, SOSP 2023), one chunk at a time:
 *
 * <ol>
 *   <li>A new block enters the <em>trial</em> queue, which has a tenth of the chunks. A block whose
 *       ghost remains enters the <em>main</em> queue at once.
 *   <li>When the trial queue gives up a chunk, its blocks with a hit move to the main queue, and
 *       the others leave a ghost. If fewer than one in {@value #WORTH_ONE_IN} had a hit, only one
 *       new block in eight enters the trial queue from then on, and the others become ghosts at
 *       once. This Coppice addition saves copies of blocks that are read once, and keeps the blocks
 *       on trial for longer.
 *   <li>When the main queue gives up a chunk, its blocks with hits move to its end with one hit
 *       less, until they fill three quarters of a chunk. The others are evicted.
 * </ol>
 *
 * <p>A block that is read only once therefore never enters the main queue. One chunk is always kept
 * free for the blocks that survive the emptying of another, so emptying always succeeds.
 *
 * <p>Any thread reads without a lock: it copies the block, then checks that the chunk's generation
 * is unchanged. The writer raises the generation before it writes the first byte into an emptied
 * chunk. One thread at a time writes; a thread that finds another one writing gives up.
 */
final class CacheShard {

  /** Bytes of a block's header in a chunk: its table, its offset in the file and its length. */
  static final int HEADER_BYTES = 2 * Long.BYTES + Long.BYTES;

  private static final int LENGTH_AT = 2 * Long.BYTES;

  /** The trial queue has one chunk in this many. */
  private static final int TRIAL_SHARE = 10;

  /**
   * Trials are worth their copies if at least one block in this many was hit in the trial queue.
   */
  private static final int WORTH_ONE_IN = 16;

  /**
   * While trials are not worth their copies, one new block in this many enters the trial queue; a
   * power of two.
   */
  private static final int SAMPLED_ONE_IN = 8;

  private static final int NONE = -1;

  private final CacheIndex index;
  private final int chunkBytes;
  private final Supplier<OffHeapMemory> allocation;

  /**
   * Memory by chunk; null for chunks not yet allocated. An element is set once, before an entry
   * refers to it.
   */
  private final ByteBuffer[] memory;

  /** Generation of each chunk, raised before the chunk is filled again. */
  private final AtomicLongArray generations;

  private final AtomicBoolean writing = new AtomicBoolean();
  private final LongAdder evictions;

  // Used only by the thread that has set {@code writing}.

  private final OffHeapMemory[] chunks;

  /** Bytes in use, by chunk. */
  private final int[] ends;

  private final Deque<Integer> trial;
  private final Deque<Integer> main;
  private final Deque<Integer> free;
  private int count;

  /** Time of the ghosts: the size of all blocks offered to this shard, in units of 8 bytes. */
  private long time;

  /** Whether too few blocks of the last trial chunk were hit. */
  private boolean sampling;

  private int offered;

  /**
   * Creates a shard without chunks.
   *
   * @param allocation returns the memory of a chunk, or null if none is available
   * @param evictions counts evicted blocks
   */
  CacheShard(
      CacheIndex index,
      int maxChunks,
      int chunkBytes,
      Supplier<OffHeapMemory> allocation,
      LongAdder evictions) {
    assert maxChunks <= CacheEntry.MAX_CHUNKS && chunkBytes <= CacheEntry.MAX_CHUNK_BYTES;
    this.index = index;
    this.chunkBytes = chunkBytes;
    this.allocation = allocation;
    this.evictions = evictions;
    this.memory = new ByteBuffer[maxChunks];
    this.generations = new AtomicLongArray(maxChunks);
    this.chunks = new OffHeapMemory[maxChunks];
    this.ends = new int[maxChunks];
    this.trial = new ArrayDeque<>(maxChunks);
    this.main = new ArrayDeque<>(maxChunks);
    this.free = new ArrayDeque<>(maxChunks);
  }

  /**
   * Copies a block to the target.
   *
   * @return the block's length, or -1 if it is not in the shard
   */
  int get(long hash, long table, long offset, BlockBuffer target) {
    long tag = CacheEntry.tag(hash);
    int bucket = index.bucket(hash);
    for (int way = 0; way < CacheIndex.WAYS; way++) {
      int at = bucket + way * Long.BYTES;
      long entry = index.entry(at);
      if (CacheEntry.isBlock(entry, tag)) {
        int length = copy(entry, table, offset, target);
        if (length >= 0) {
          index.hit(at, entry);
          return length;
        }
      }
    }
    return NONE;
  }

  /** Returns whether the shard holds a block now. */
  boolean contains(long hash, long table, long offset) {
    long tag = CacheEntry.tag(hash);
    int bucket = index.bucket(hash);
    for (int way = 0; way < CacheIndex.WAYS; way++) {
      long entry = index.entry(bucket + way * Long.BYTES);
      if (CacheEntry.isBlock(entry, tag) && isOf(entry, table, offset)) {
        return true;
      }
    }
    return false;
  }

  private boolean isOf(long entry, long table, long offset) {
    ByteBuffer chunk = memory[CacheEntry.chunk(entry)];
    int position = CacheEntry.position(entry);
    return chunk.getLong(position) == table && chunk.getLong(position + Long.BYTES) == offset;
  }

  private int copy(long entry, long table, long offset, BlockBuffer target) {
    int number = CacheEntry.chunk(entry);
    long generation = generations.getAcquire(number);
    if (!CacheEntry.isOf(entry, generation) || !isOf(entry, table, offset)) {
      return NONE;
    }
    ByteBuffer chunk = memory[number];
    int position = CacheEntry.position(entry);
    int length = chunk.getInt(position + LENGTH_AT);
    if (length < 0 || length > chunkBytes - position - HEADER_BYTES) {
      return NONE;
    }
    chunk.get(position + HEADER_BYTES, target.room(length), 0, length);
    // The bytes are read before the generation; the writer changes them in the opposite order.
    VarHandle.acquireFence();
    return generations.getOpaque(number) == generation ? length : NONE;
  }

  /**
   * Copies a block into the shard. It does nothing if the block is present or too large, if its
   * bucket or the memory budget is full, or if another thread is writing.
   *
   * @return whether the block was added
   */
  boolean put(long hash, long table, long offset, byte[] bytes, int length) {
    int size = size(length);
    if (size > chunkBytes || !writing.compareAndSet(false, true)) {
      return false;
    }
    try {
      if (contains(hash, table, offset)) {
        return false;
      }
      int ghost = index.findGhost(hash);
      boolean known = ghost != NONE && isRecent(index.entry(ghost));
      int at = ghost != NONE ? ghost : index.room(hash, time);
      if (sampling && !known && (++offered & SAMPLED_ONE_IN - 1) != 0) {
        if (at != NONE) {
          time += size / CacheEntry.UNIT_BYTES;
          index.set(at, CacheEntry.ghost(CacheEntry.tag(hash), time));
        }
        return false;
      }
      long place = at == NONE ? 0 : place(known ? main : trial, size);
      if (place == 0) {
        return false;
      }
      ByteBuffer chunk = memory[CacheEntry.chunk(place)];
      int position = CacheEntry.position(place);
      chunk.putLong(position, table);
      chunk.putLong(position + Long.BYTES, offset);
      chunk.putInt(position + LENGTH_AT, length);
      chunk.put(position + HEADER_BYTES, bytes, 0, length);
      time += size / CacheEntry.UNIT_BYTES;
      index.set(at, CacheEntry.tag(hash) | place);
      return true;
    } finally {
      writing.setRelease(false);
    }
  }

  /** Returns the bytes that a block of the given length occupies in a chunk. */
  static int size(int length) {
    int exact = HEADER_BYTES + length;
    return exact + CacheEntry.UNIT_BYTES - 1 & -CacheEntry.UNIT_BYTES;
  }

  /**
   * Returns whether the main queue would still hold the block of a ghost; older ghosts are ignored.
   */
  private boolean isRecent(long ghost) {
    return CacheEntry.age(ghost, time) * CacheEntry.UNIT_BYTES <= (long) count * chunkBytes;
  }

  /**
   * Reserves room at the end of a queue. Returns it as an untagged entry; 0 if there is no memory.
   */
  private long place(Deque<Integer> queue, int size) {
    if (queue.isEmpty() || ends[queue.peekLast()] + size > chunkBytes) {
      int fresh = fresh();
      if (fresh == NONE) {
        return 0;
      }
      // Making room may have appended blocks to this queue.
      if (!queue.isEmpty() && ends[queue.peekLast()] + size <= chunkBytes) {
        free.addLast(fresh);
      } else {
        queue.addLast(fresh);
      }
    }
    return append(queue.peekLast(), size);
  }

  private long append(int chunk, int size) {
    int position = ends[chunk];
    ends[chunk] += size;
    return CacheEntry.of(0, chunk, generations.getPlain(chunk), position);
  }

  /**
   * Returns the number of an empty chunk, in addition to the one that stays free; -1 if there is no
   * memory.
   */
  private int fresh() {
    while (free.size() < 2) {
      if (!grow()) {
        if (trial.isEmpty() && main.isEmpty()) {
          return NONE;
        }
        boolean trialIsFull = trial.size() > Math.max(1, count / TRIAL_SHARE);
        empty(trialIsFull || main.isEmpty() ? trial : main);
      }
    }
    return free.removeFirst();
  }

  private boolean grow() {
    if (count == memory.length) {
      return false;
    }
    OffHeapMemory more = allocation.get();
    if (more == null) {
      return false;
    }
    chunks[count] = more;
    memory[count] = more.bytes().duplicate().order(ByteOrder.nativeOrder());
    release(count++);
    return true;
  }

  private void release(int chunk) {
    ends[chunk] = 0;
    generations.setOpaque(chunk, CacheEntry.nextGeneration(generations.getPlain(chunk)));
    // A thread that reads a byte written from now on also sees the new generation.
    VarHandle.storeStoreFence();
    free.addLast(chunk);
  }

  /** Empties the oldest chunk of a queue. Blocks with a hit move to the main queue. */
  private void empty(Deque<Integer> queue) {
    int victim = queue.removeFirst();
    ByteBuffer from = memory[victim];
    int most = queue == main ? chunkBytes / 4 * 3 : chunkBytes;
    int kept = 0;
    int blocks = 0;
    int hit = 0;
    for (int position = 0; position < ends[victim]; ) {
      int size = size(from.getInt(position + LENGTH_AT));
      long place = CacheEntry.of(0, victim, generations.getPlain(victim), position);
      long hash = BlockCache.hash(from.getLong(position), from.getLong(position + Long.BYTES));
      int at = index.find(hash, CacheEntry.tag(hash) | place);
      if (at >= 0) {
        int hits = CacheEntry.hits(index.entry(at));
        blocks++;
        hit += hits > 0 ? 1 : 0;
        if (hits > 0 && kept + size <= most) {
          kept += size;
          index.set(at, moved(from, position, size, hash, queue == main ? hits - 1 : 0));
        } else {
          index.set(at, queue == main ? 0 : CacheEntry.ghost(CacheEntry.tag(hash), time));
          evictions.increment();
        }
      }
      position += size;
    }
    if (queue == trial) {
      sampling = hit * WORTH_ONE_IN < blocks;
    }
    release(victim);
  }

  /**
   * Copies a block to the end of the main queue. Returns its new entry.
   *
   * @param position index of the block's header in {@code from}
   * @param size bytes of header and block, as stored
   * @param hits hit count of the new entry
   */
  private long moved(ByteBuffer from, int position, int size, long hash, int hits) {
    if (main.isEmpty() || ends[main.peekLast()] + size > chunkBytes) {
      main.addLast(free.removeFirst());
    }
    long place = append(main.peekLast(), size);
    memory[CacheEntry.chunk(place)].put(CacheEntry.position(place), from, position, size);
    return CacheEntry.withHits(CacheEntry.tag(hash) | place, hits);
  }

  /**
   * Frees the memory of all chunks. The caller makes sure that no thread uses the shard any longer.
   */
  void free() {
    for (int i = 0; i < count; i++) {
      chunks[i].free();
      chunks[i] = null;
      memory[i] = null;
    }
    count = 0;
  }
}
