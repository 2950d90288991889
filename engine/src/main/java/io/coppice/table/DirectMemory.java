// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.ArenaMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where tables and their cache get memory outside the heap: it keeps nothing back, and counts. Safe
 * to share between threads.
 */
final class DirectMemory {

  private static final boolean ARENAS = ArenaMemory.isBetterThan(UnpooledByteBufAllocator.class);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final AtomicLong arenaBytes = new AtomicLong();

  /** What was allocated; big-endian, and whoever has it frees it once. */
  record Piece(ByteBuffer bytes, Runnable free) {}

  /** So many bytes, zeroed. */
  Piece allocate(int length) {
    if (ARENAS) {
      ArenaMemory memory = ArenaMemory.allocate(length, Long.BYTES, arenaBytes);
      return new Piece(memory.buffer(), memory::free);
    }
    ByteBuf memory = allocator.directBuffer(length, length);
    return new Piece(memory.nioBuffer(0, length), memory::release);
  }

  /** Bytes allocated and not freed. */
  long usedBytes() {
    return allocator.metric().usedDirectMemory() + arenaBytes.get();
  }
}
