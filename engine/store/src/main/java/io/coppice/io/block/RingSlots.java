// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.base.MemoryBudget;
import io.coppice.io.ReadBatch;
import io.coppice.io.uring.AlignedMemory;
import io.coppice.io.uring.Ring;
import java.nio.ByteBuffer;

/**
 * Numbered buffers that a ring reads into. A buffer is free, or belongs to the kernel until its
 * read is done, even if the read was abandoned. The buffers are reserved in the memory budget slab
 * by slab on demand. Used by one thread at a time.
 */
final class RingSlots {

  /**
   * Size of a slot in bytes: a block of the usual size or twice that at any offset, extended to
   * whole pages.
   */
  static final int SLOT_BYTES = 4 * AlignedMemory.PAGE_BYTES;

  /**
   * Maximum number of slots: one per read of a batch, and as many for reads that the batch before
   * abandoned.
   */
  private static final int MAX_SLOTS = 2 * ReadBatch.MAX_READS;

  /** Number of slots for a batch of the usual width. */
  private static final int USUAL_SLOTS = 32;

  private static final int SLOTS_PER_SLAB = 16;

  /** Divisor of the memory budget: the slots of all rings take at most this part. */
  private static final int LEDGER_SHARE = 32;

  private static final byte POISON = (byte) 0xA5;

  /** Slot: a buffer with its read, or with the file that is being opened for it. */
  static final class Slot {
    final ByteBuffer bytes;
    final long address;

    /** Request of the read; null if the pool took it over. */
    BlockReadRequest request;

    /** Descriptor of the file; null while the file is being opened. */
    RingFiles.Descriptor from;

    boolean opensDirect;

    /** Whether advice about the file's access pattern is in progress. */
    boolean advises;

    boolean inKernel;

    /**
     * Offset in the file where the slot's first byte comes from; {@code window} is the number of
     * bytes to read.
     */
    long start;

    int window;

    /** Number of bytes read before the requested ones. */
    int before;

    int got;
    boolean again;

    Slot(ByteBuffer bytes, long address) {
      this.bytes = bytes;
      this.address = address;
    }

    /**
     * Sets the range to read: whole pages past the page cache, else exactly the requested bytes.
     *
     * @param at descriptor of the file
     */
    void aim(RingFiles.Descriptor at) {
      from = at;
      long offset = request.offset;
      before = at.direct() ? (int) (offset % AlignedMemory.PAGE_BYTES) : 0;
      start = offset - before;
      int wanted = before + request.length;
      window = at.direct() ? wholePages(wanted) : wanted;
      got = 0;
      again = false;
    }
  }

  private final MemoryBudget memory;
  private final AlignedMemory[] slabs;
  private final Slot[] slots;
  private final int[] free;
  private int made;
  private int freeSlots;
  private int slabCount;

  private RingSlots(MemoryBudget memory, int most) {
    this.memory = memory;
    this.slots = new Slot[most];
    this.free = new int[most];
    this.slabs = new AlignedMemory[most / SLOTS_PER_SLAB];
  }

  /**
   * Returns the number of rings that the budget can supply with the usual number of slots; at least
   * one.
   *
   * @param most upper bound of the result
   */
  static int rings(MemoryBudget memory, int most) {
    return (int) Math.min(Math.max(1, all(memory) / USUAL_SLOTS), most);
  }

  /** Creates the slots of one of {@code rings} rings. */
  static RingSlots share(MemoryBudget memory, int rings) {
    long fit = Math.min(Math.max(all(memory) / rings, SLOTS_PER_SLAB), MAX_SLOTS);
    return new RingSlots(memory, (int) (fit / SLOTS_PER_SLAB) * SLOTS_PER_SLAB);
  }

  private static long all(MemoryBudget memory) {
    return memory.capacityBytes() / LEDGER_SHARE / SLOT_BYTES;
  }

  /**
   * Returns whether a ring can carry out a read: the file is one of the file system, and the range
   * is inside it and short enough for a slot.
   */
  static boolean fit(BlockReadRequest request) {
    return request.real != null
        && request.length > 0
        && request.offset >= 0
        && request.offset <= request.real.length() - request.length
        && wholePages(request.offset % AlignedMemory.PAGE_BYTES + request.length) <= SLOT_BYTES;
  }

  private static int wholePages(long bytes) {
    return (int)
        Math.min(
            bytes + AlignedMemory.PAGE_BYTES - 1 & -AlignedMemory.PAGE_BYTES, Integer.MAX_VALUE);
  }

  /** Returns the maximum number of slots. */
  int most() {
    return slots.length;
  }

  /** Returns the number of slots in use. */
  int used() {
    return made - freeSlots;
  }

  /** Reserves a free slot. Returns its number, or -1 if there is none. */
  int take(Ring ring) {
    if (freeSlots == 0 && made < slots.length) {
      addSlab(ring);
    }
    return freeSlots == 0 ? -1 : free[--freeSlots];
  }

  private void addSlab(Ring ring) {
    AlignedMemory slab = AlignedMemory.tryAllocate(memory, SLOTS_PER_SLAB * SLOT_BYTES);
    if (slab == null) {
      return;
    }
    slabs[slabCount++] = slab;
    long address = ring.address(slab.pages());
    for (int i = 0; i < SLOTS_PER_SLAB; i++) {
      ByteBuffer bytes = slab.pages().slice(i * SLOT_BYTES, SLOT_BYTES);
      slots[made] = new Slot(bytes, address + (long) i * SLOT_BYTES);
      free[freeSlots++] = made++;
    }
  }

  /** Returns the number of slots allocated up to now; all slot numbers are below it. */
  int made() {
    return made;
  }

  /** Returns the slot with a number. */
  Slot get(int number) {
    return slots[number];
  }

  /**
   * Returns the slot with this number if the kernel has it, else null: a completion may have an
   * unknown number.
   */
  Slot inKernel(int number) {
    Slot slot = number >= 0 && number < made ? slots[number] : null;
    return slot != null && slot.inKernel ? slot : null;
  }

  /** Frees a slot that the kernel no longer owns. */
  void give(int number) {
    Slot slot = slots[number];
    assert poison(slot.bytes);
    slot.request = null;
    slot.from = null;
    assert !isFree(number) : "given twice";
    free[freeSlots++] = number;
  }

  private boolean isFree(int number) {
    for (int i = 0; i < freeSlots; i++) {
      if (free[i] == number) {
        return true;
      }
    }
    return false;
  }

  private static boolean poison(ByteBuffer bytes) {
    for (int i = 0; i < SLOT_BYTES; i += AlignedMemory.PAGE_BYTES / 8) {
      bytes.put(i, POISON);
    }
    return true;
  }

  /** Frees the memory unless the kernel still owns some of it. Returns whether it was freed. */
  boolean close() {
    if (used() > 0) {
      return false;
    }
    while (slabCount > 0) {
      slabs[--slabCount].close();
    }
    made = 0;
    freeSlots = 0;
    return true;
  }
}
