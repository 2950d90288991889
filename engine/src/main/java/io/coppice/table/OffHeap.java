// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.MemoryBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A piece of memory outside the heap that is entered in the ledger. Its owner frees it, once, when
 * no reader can reach it any more; an access after that is not caught.
 */
final class OffHeap {

  private final MemoryBudget budget;
  private final MemoryBudget.Role role;
  private final int reservedBytes;
  private final Runnable free;
  private final ByteBuffer bytes;

  private OffHeap(
      MemoryBudget budget,
      MemoryBudget.Role role,
      int reservedBytes,
      DirectMemory.Piece memory,
      int align) {
    this.budget = budget;
    this.role = role;
    this.reservedBytes = reservedBytes;
    this.free = memory.free();
    ByteBuffer whole = memory.bytes();
    this.bytes = (align == 1 ? whole : whole.alignedSlice(align)).order(ByteOrder.BIG_ENDIAN);
  }

  /**
   * Reserves and allocates; null if the ledger is full.
   *
   * @param align the address is a multiple of this power of two, and the length is rounded up to
   *     one
   */
  static OffHeap allocate(
      DirectMemory allocator, MemoryBudget budget, MemoryBudget.Role role, int length, int align) {
    int reserved = align == 1 ? length : length + 2 * align;
    if (!budget.tryReserve(role, reserved)) {
      return null;
    }
    try {
      return new OffHeap(budget, role, reserved, allocator.allocate(reserved), align);
    } catch (RuntimeException | Error e) {
      budget.release(role, reserved);
      throw e;
    }
  }

  /** The memory, from position 0, big-endian. */
  ByteBuffer bytes() {
    return bytes;
  }

  /** Bytes of the ledger held for it. */
  int reservedBytes() {
    return reservedBytes;
  }

  void free() {
    free.run();
    budget.release(role, reservedBytes);
  }
}
