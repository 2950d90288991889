// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.bytes.ArenaMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocator of off-heap memory for tables and their block cache. It pools nothing and counts what
 * is in use. Safe to share between threads.
 */
public final class OffHeapAllocator {

  private static final boolean ARENAS = ArenaMemory.isBetterThan(UnpooledByteBufAllocator.class);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final AtomicLong arenaBytes = new AtomicLong();

  /** Allocated memory, big-endian; its owner runs {@code free} exactly once. */
  record Piece(ByteBuffer bytes, Runnable free) {}

  /**
   * Allocates zeroed memory of the given length in bytes.
   *
   * @throws OutOfMemoryError if the JVM refuses
   */
  Piece allocate(int length) {
    if (ARENAS) {
      ArenaMemory memory = ArenaMemory.allocate(length, Long.BYTES, arenaBytes);
      return new Piece(memory.buffer(), memory::free);
    }
    ByteBuf memory = allocator.directBuffer(length, length);
    return new Piece(memory.nioBuffer(0, length), memory::release);
  }

  /** Returns the off-heap bytes allocated here and not yet freed. */
  public long usedBytes() {
    return allocator.metric().usedDirectMemory() + arenaBytes.get();
  }
}
