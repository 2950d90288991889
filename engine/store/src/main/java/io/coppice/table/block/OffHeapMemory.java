// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.MemoryBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Off-heap memory charged to the memory budget. Its owner frees it once, after the last reader has
 * gone; later accesses are not detected. Written by one thread, then safe to share.
 */
public final class OffHeapMemory {

  private final MemoryBudget budget;
  private final MemoryBudget.Role role;
  private final int reservedBytes;
  private final Runnable free;
  private final ByteBuffer bytes;

  private OffHeapMemory(
      MemoryBudget budget,
      MemoryBudget.Role role,
      int reservedBytes,
      OffHeapAllocator.Piece memory,
      int align) {
    this.budget = budget;
    this.role = role;
    this.reservedBytes = reservedBytes;
    this.free = memory.free();
    ByteBuffer whole = memory.bytes();
    this.bytes = (align == 1 ? whole : whole.alignedSlice(align)).order(ByteOrder.BIG_ENDIAN);
  }

  /**
   * Reserves memory in the budget and allocates it; returns null if the budget is exhausted. The
   * caller frees it.
   *
   * @param align power of two; the address is a multiple of it, and the length is rounded up to a
   *     multiple of it
   * @throws OutOfMemoryError if the JVM refuses; nothing stays reserved
   */
  public static OffHeapMemory allocate(
      OffHeapAllocator allocator,
      MemoryBudget budget,
      MemoryBudget.Role role,
      int length,
      int align) {
    int reserved = align == 1 ? length : length + 2 * align;
    if (!budget.tryReserve(role, reserved)) {
      return null;
    }
    try {
      return new OffHeapMemory(budget, role, reserved, allocator.allocate(reserved), align);
    } catch (RuntimeException | Error e) {
      budget.release(role, reserved);
      throw e;
    }
  }

  /** Returns the memory from position 0, big-endian. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** Returns the bytes that this memory occupies in the budget. */
  public int reservedBytes() {
    return reservedBytes;
  }

  public void free() {
    free.run();
    budget.release(role, reservedBytes);
  }
}
