// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.ArenaMemory;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where memtables get their memory. Every chunk is reserved in the ledger before it is allocated,
 * and released after it was freed. A few chunks of the standard size wait here for the next
 * memtable; they stay reserved. The memory comes from an allocator of our own, which keeps nothing
 * back, so the ledger is exact. Safe to share between threads.
 */
public final class ChunkPool implements AutoCloseable {

  /** The standard size: allocation zeroes a chunk, so a larger one would delay a writer longer. */
  public static final int CHUNK_BYTES = 1 << 20;

  private static final boolean ARENAS = ArenaMemory.isBetterThan(UnpooledByteBufAllocator.class);

  private final MemoryBudget budget;
  private final int maxSpareChunks;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final AtomicLong arenaBytes = new AtomicLong();
  private final Deque<Chunk> spare = new ArrayDeque<>();
  private boolean closed;

  /** A pool on this ledger that keeps at most so many chunks for reuse, at least 0. */
  public ChunkPool(MemoryBudget budget, int maxSpareChunks) {
    this.budget = budget;
    this.maxSpareChunks = maxSpareChunks;
  }

  /**
   * Returns a chunk of the size, or null if the memory budget or the JVM refuses it. A full budget
   * first gets the waiting chunks back.
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

  /** Counts chunks that only readers keep; negative before they are given back. */
  void keepForReaders(long bytes) {
    budget.keepForReaders(bytes);
  }

  /** Takes a chunk back. */
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

  /** True if a memtable that takes so many bytes can be begun now. */
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

  /** Bytes allocated outside the heap, as the allocators count them. */
  public long directBytes() {
    return allocator.metric().usedDirectMemory() + arenaBytes.get();
  }

  /**
   * Gives the waiting chunks back, for when the ledger is tight.
   *
   * @return true if there were any
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

  /** Keeps no chunk from now on. Those of living memtables go back when these are released. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    trim();
  }
}
