// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

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
 * A part of the block cache: an index, and chunks of memory that are filled with blocks one after
 * the other and emptied as a whole. Nothing is moved or overwritten inside a chunk but by emptying
 * it.
 *
 * <p>Which blocks stay is decided as in S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all
 * you need for cache eviction, SOSP 2023), a chunk at a time:
 *
 * <ol>
 *   <li>A new block goes to the <em>trial</em> queue, which has a tenth of the chunks; a block of
 *       which a ghost remains goes to the <em>main</em> queue at once.
 *   <li>When the trial queue gives a chunk up, its blocks with a hit go to the main queue, and the
 *       others leave a ghost. If hardly any had one, of the new blocks only one in eight goes on
 *       trial from then on, and the others are a ghost at once: that spares the copy of what nobody
 *       reads again, and those on trial stay there for longer. Ours.
 *   <li>When the main queue gives a chunk up, its blocks with hits go to its end with one less, as
 *       long as they fill no more than three quarters of a chunk; the others go.
 * </ol>
 *
 * <p>So a scan passes through the trial queue. One chunk is always kept free for what the emptied
 * one leaves, so emptying never fails.
 *
 * <p>Any thread reads, without a lock: it copies, and then looks whether the chunk was emptied
 * meanwhile. For this the writer raises the chunk's generation before it writes the first byte into
 * it again. One thread at a time writes; who finds another one writing gives up.
 */
final class CacheShard {

  /** Table, offset in its file, length; then the block's bytes. */
  static final int HEADER_BYTES = 2 * Long.BYTES + Long.BYTES;

  private static final int LENGTH_AT = 2 * Long.BYTES;

  /** A chunk of so many has blocks on trial. */
  private static final int TRIAL_SHARE = 10;

  /** The trial is worth its copies if one block in so many was hit there. */
  private static final int WORTH_ONE_IN = 16;

  /** If it is not, one new block in so many goes there; a power of two. */
  private static final int SAMPLED_ONE_IN = 8;

  private static final int NONE = -1;

  private final CacheIndex index;
  private final int chunkBytes;
  private final Supplier<OffHeap> allocation;

  /** By chunk; null where there is none yet. An element is set once, before a slot names it. */
  private final ByteBuffer[] memory;

  /** By chunk; raised before it is filled again. */
  private final AtomicLongArray generations;

  private final AtomicBoolean writing = new AtomicBoolean();
  private final LongAdder evictions;

  // Below: only whoever has set writing.

  private final OffHeap[] chunks;

  /** By chunk: where what it holds ends. */
  private final int[] ends;

  private final Deque<Integer> trial = new ArrayDeque<>();
  private final Deque<Integer> main = new ArrayDeque<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private int count;

  /** Units of all blocks offered here so far. */
  private long time;

  /** True if few blocks were hit on trial of late. */
  private boolean sampling;

  private int offered;

  /**
   * A shard without chunks.
   *
   * @param allocation gives the memory of a chunk, or null if there is none at present
   * @param evictions counts blocks that leave
   */
  CacheShard(
      CacheIndex index,
      int maxChunks,
      int chunkBytes,
      Supplier<OffHeap> allocation,
      LongAdder evictions) {
    assert maxChunks <= CacheSlot.MAX_CHUNKS && chunkBytes <= CacheSlot.MAX_CHUNK_BYTES;
    this.index = index;
    this.chunkBytes = chunkBytes;
    this.allocation = allocation;
    this.evictions = evictions;
    this.memory = new ByteBuffer[maxChunks];
    this.generations = new AtomicLongArray(maxChunks);
    this.chunks = new OffHeap[maxChunks];
    this.ends = new int[maxChunks];
  }

  /**
   * Copies a block out.
   *
   * @return its length, or -1 if it is not here
   */
  int get(long hash, long table, long offset, BlockBuffer target) {
    long tag = CacheSlot.tag(hash);
    int bucket = index.bucket(hash);
    for (int way = 0; way < CacheIndex.WAYS; way++) {
      int at = bucket + way * Long.BYTES;
      long slot = index.slot(at);
      if (CacheSlot.isBlock(slot, tag)) {
        int length = copy(slot, table, offset, target);
        if (length >= 0) {
          index.hit(at, slot);
          return length;
        }
      }
    }
    return NONE;
  }

  /** True if a block is here now. */
  boolean contains(long hash, long table, long offset) {
    long tag = CacheSlot.tag(hash);
    int bucket = index.bucket(hash);
    for (int way = 0; way < CacheIndex.WAYS; way++) {
      long slot = index.slot(bucket + way * Long.BYTES);
      if (CacheSlot.isBlock(slot, tag) && isOf(slot, table, offset)) {
        return true;
      }
    }
    return false;
  }

  private boolean isOf(long slot, long table, long offset) {
    ByteBuffer chunk = memory[CacheSlot.chunk(slot)];
    int position = CacheSlot.position(slot);
    return chunk.getLong(position) == table && chunk.getLong(position + Long.BYTES) == offset;
  }

  private int copy(long slot, long table, long offset, BlockBuffer target) {
    int number = CacheSlot.chunk(slot);
    long generation = generations.getAcquire(number);
    if (!CacheSlot.isOf(slot, generation) || !isOf(slot, table, offset)) {
      return NONE;
    }
    ByteBuffer chunk = memory[number];
    int position = CacheSlot.position(slot);
    int length = chunk.getInt(position + LENGTH_AT);
    if (length < 0 || length > chunkBytes - position - HEADER_BYTES) {
      return NONE;
    }
    chunk.get(position + HEADER_BYTES, target.room(length), 0, length);
    // The bytes are read before the generation, and the writer changes them in the other order.
    VarHandle.acquireFence();
    return generations.getOpaque(number) == generation ? length : NONE;
  }

  /**
   * Takes a block in, unless it is here, is too large, finds its bucket or the ledger full, or
   * another thread is writing.
   *
   * @return true if it is new here
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
      boolean known = ghost != NONE && isRecent(index.slot(ghost));
      int at = ghost != NONE ? ghost : index.room(hash, time);
      if (sampling && !known && (++offered & SAMPLED_ONE_IN - 1) != 0) {
        if (at != NONE) {
          time += size / CacheSlot.UNIT_BYTES;
          index.set(at, CacheSlot.ghost(CacheSlot.tag(hash), time));
        }
        return false;
      }
      long place = at == NONE ? 0 : place(known ? main : trial, size);
      if (place == 0) {
        return false;
      }
      ByteBuffer chunk = memory[CacheSlot.chunk(place)];
      int position = CacheSlot.position(place);
      chunk.putLong(position, table);
      chunk.putLong(position + Long.BYTES, offset);
      chunk.putInt(position + LENGTH_AT, length);
      chunk.put(position + HEADER_BYTES, bytes, 0, length);
      time += size / CacheSlot.UNIT_BYTES;
      index.set(at, CacheSlot.tag(hash) | place);
      return true;
    } finally {
      writing.setRelease(false);
    }
  }

  /** What a block takes in a chunk. */
  static int size(int length) {
    int exact = HEADER_BYTES + length;
    return exact + CacheSlot.UNIT_BYTES - 1 & -CacheSlot.UNIT_BYTES;
  }

  /** A block that left so long ago that the main queue would not have it any more is forgotten. */
  private boolean isRecent(long ghost) {
    return CacheSlot.age(ghost, time) * CacheSlot.UNIT_BYTES <= (long) count * chunkBytes;
  }

  /** Room at the end of a queue, as a slot without a tag; 0 if there is no memory. */
  private long place(Deque<Integer> queue, int size) {
    if (queue.isEmpty() || ends[queue.peekLast()] + size > chunkBytes) {
      int fresh = fresh();
      if (fresh == NONE) {
        return 0;
      }
      // Making room may have put blocks at the end of the queue.
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
    return CacheSlot.of(0, chunk, generations.getPlain(chunk), position);
  }

  /** A chunk to be filled, beside the one that stays free; -1 if there is no memory. */
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
    OffHeap more = allocation.get();
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
    generations.setOpaque(chunk, CacheSlot.nextGeneration(generations.getPlain(chunk)));
    // Whoever reads a byte written from now on also sees the new generation.
    VarHandle.storeStoreFence();
    free.addLast(chunk);
  }

  /** Empties the oldest chunk of a queue. */
  private void empty(Deque<Integer> queue) {
    int victim = queue.removeFirst();
    ByteBuffer from = memory[victim];
    int most = queue == main ? chunkBytes / 4 * 3 : chunkBytes;
    int kept = 0;
    int blocks = 0;
    int hit = 0;
    for (int position = 0; position < ends[victim]; ) {
      int size = size(from.getInt(position + LENGTH_AT));
      long place = CacheSlot.of(0, victim, generations.getPlain(victim), position);
      long hash = BlockCache.hash(from.getLong(position), from.getLong(position + Long.BYTES));
      int at = index.find(hash, CacheSlot.tag(hash) | place);
      if (at >= 0) {
        int hits = CacheSlot.hits(index.slot(at));
        blocks++;
        hit += hits > 0 ? 1 : 0;
        if (hits > 0 && kept + size <= most) {
          kept += size;
          index.set(at, moved(from, position, size, hash, queue == main ? hits - 1 : 0));
        } else {
          index.set(at, queue == main ? 0 : CacheSlot.ghost(CacheSlot.tag(hash), time));
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

  /** Copies a block to the end of the main queue. */
  private long moved(ByteBuffer from, int position, int size, long hash, int hits) {
    if (main.isEmpty() || ends[main.peekLast()] + size > chunkBytes) {
      main.addLast(free.removeFirst());
    }
    long place = append(main.peekLast(), size);
    memory[CacheSlot.chunk(place)].put(CacheSlot.position(place), from, position, size);
    return CacheSlot.withHits(CacheSlot.tag(hash) | place, hits);
  }

  /** Gives all memory back; nobody reads or writes any more. */
  void free() {
    for (int i = 0; i < count; i++) {
      chunks[i].free();
      chunks[i] = null;
      memory[i] = null;
    }
    count = 0;
  }
}
