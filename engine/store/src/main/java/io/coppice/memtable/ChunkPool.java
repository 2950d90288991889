// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.base.bytes.ArenaMemory;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Source of memory for memtables. Every chunk is reserved in the memory budget before its
 * allocation and released after it is freed. A few chunks of the standard size stay here, reserved,
 * for the next memtable. The memory comes from an allocator that caches nothing, so the budget is
 * exact. Safe to share between threads.
 */
public final class ChunkPool implements AutoCloseable {

  /**
   * Standard size of a chunk in bytes. Allocation zeroes a chunk, so a larger one would delay a
   * writer longer.
   */
  public static final int CHUNK_BYTES = 1 << 20;

  private static final boolean ARENAS = ArenaMemory.isBetterThan(UnpooledByteBufAllocator.class);

  private final MemoryBudget budget;
  private final int maxSpareChunks;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final AtomicLong arenaBytes = new AtomicLong();

  /** Free chunks kept for reuse. */
  @GuardedBy("this")
  private final Deque<Chunk> spare;

  @GuardedBy("this")
  private boolean closed;

  /**
   * Creates a pool without chunks.
   *
   * @param budget memory budget that every chunk counts against
   * @param maxSpareChunks number of free chunks to keep for reuse, at least 0
   */
  public ChunkPool(MemoryBudget budget, int maxSpareChunks) {
    this.budget = budget;
    this.maxSpareChunks = maxSpareChunks;
    this.spare = new ArrayDeque<>(maxSpareChunks);
  }

  /**
   * Returns a chunk of this size in bytes, or null if the memory budget or the JVM refuses it. If
   * the budget is full, free chunks are released first.
   */
  Chunk take(int size) {
    if (size == CHUNK_BYTES) {
      Chunk reused = takeSpare();
      if (reused != null) {
        return reused;
      }
    }
    while (!budget.tryReserve(Role.MEMTABLE, size)) {
      Chunk idle = takeSpare();
      if (idle == null) {
        return null;
      }
      free(idle);
    }
    Chunk chunk = null;
    try {
      chunk = allocate(size);
      return chunk;
    } catch (OutOfMemoryError e) {
      return null;
    } finally {
      if (chunk == null) {
        budget.release(Role.MEMTABLE, size);
      }
    }
  }

  private Chunk allocate(int size) {
    if (!ARENAS) {
      return new Chunk(allocator.directBuffer(size, size));
    }
    ArenaMemory memory = ArenaMemory.allocate(size, Long.BYTES, arenaBytes);
    return new Chunk(memory.buffer(), memory::free);
  }

  private synchronized Chunk takeSpare() {
    return spare.pollLast();
  }

  /**
   * Adds to the bytes of chunks that only readers still use; negative before such chunks are
   * returned.
   */
  void keepForReaders(long bytes) {
    budget.keepForReaders(bytes);
  }

  /** Gives a chunk back to the pool, which keeps or frees it. */
  void give(Chunk chunk) {
    assert chunk.poison();
    if (!keep(chunk)) {
      free(chunk);
    }
  }

  private synchronized boolean keep(Chunk chunk) {
    if (closed
        || chunk.bytes() != CHUNK_BYTES
        || spare.size() >= maxSpareChunks
        || budget.usedBytes() > budget.capacityBytes()) {
      return false;
    }
    spare.addLast(chunk);
    return true;
  }

  private void free(Chunk chunk) {
    int bytes = chunk.bytes();
    chunk.free();
    budget.release(Role.MEMTABLE, bytes);
  }

  /**
   * Returns whether the budget has room for a memtable of this many bytes, and a first chunk for
   * it. Nothing stays reserved. If the room is too small at first, the free chunks are released.
   */
  public boolean hasRoom(long bytes) {
    if (budget.roomBytes(Role.MEMTABLE) < bytes) {
      trim();
    }
    Chunk trial = budget.roomBytes(Role.MEMTABLE) < bytes ? null : take(CHUNK_BYTES);
    if (trial != null) {
      give(trial);
    }
    return trial != null;
  }

  /** Returns the off-heap bytes of all chunks, free ones included, as counted by the allocators. */
  public long directBytes() {
    return allocator.metric().usedDirectMemory() + arenaBytes.get();
  }

  /**
   * Releases the free chunks, for when the memory budget is tight.
   *
   * @return whether there were any
   */
  public boolean trim() {
    boolean any = false;
    Chunk chunk;
    while ((chunk = takeSpare()) != null) {
      free(chunk);
      any = true;
    }
    return any;
  }

  /**
   * Closes the pool: from now on every returned chunk is freed, and so are the spare ones. Chunks
   * of living memtables stay until these are released.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    trim();
  }
}
