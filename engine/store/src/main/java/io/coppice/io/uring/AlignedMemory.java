// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.uring;

import io.coppice.base.MemoryBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * Page-aligned off-heap memory for device and kernel, charged to the memory budget. Used by one
 * thread at a time.
 */
public final class AlignedMemory implements AutoCloseable {

  /**
   * Size of a page in bytes. Direct reads on all common devices allow addresses, offsets and
   * lengths that are multiples of it.
   */
  public static final int PAGE_BYTES = 4096;

  private final MemoryBudget budget;
  private final ByteBuf memory;
  private final ByteBuffer pages;

  private AlignedMemory(MemoryBudget budget, ByteBuf memory, ByteBuffer pages) {
    this.budget = budget;
    this.memory = memory;
    this.pages = pages;
  }

  /**
   * Allocates whole pages; returns null if the memory budget or the JVM has no room.
   *
   * @param bytes a multiple of {@link #PAGE_BYTES}; one page more is reserved for the alignment
   */
  public static AlignedMemory tryAllocate(MemoryBudget budget, int bytes) {
    assert bytes % PAGE_BYTES == 0 : bytes;
    int whole = bytes + PAGE_BYTES;
    if (!budget.tryReserve(MemoryBudget.Role.READ, whole)) {
      return null;
    }
    AlignedMemory allocated = null;
    try {
      ByteBuf memory = UnpooledByteBufAllocator.DEFAULT.directBuffer(whole, whole);
      ByteBuffer pages = memory.internalNioBuffer(0, whole).alignedSlice(PAGE_BYTES);
      allocated = new AlignedMemory(budget, memory, pages.limit(bytes).slice());
      return allocated;
    } catch (OutOfMemoryError e) {
      return null;
    } finally {
      if (allocated == null) {
        budget.release(MemoryBudget.Role.READ, whole);
      }
    }
  }

  /**
   * Returns a buffer over all the memory, the same at each call; the caller sets its position and
   * limit.
   */
  public ByteBuffer pages() {
    return pages;
  }

  @Override
  public void close() {
    int whole = memory.capacity();
    memory.release();
    budget.release(MemoryBudget.Role.READ, whole);
  }
}
