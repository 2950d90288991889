// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.MemoryBudget;
import java.nio.ByteBuffer;

/**
 * The buffers that a ring reads into, a number each. One is free, or it belongs to the kernel until
 * its read is done: even if nobody wants the read any more. They are taken from the ledger in slabs
 * as they are needed. Used by one thread at a time.
 */
final class RingSlots {

  /** A block of the usual size at any place, widened to whole pages, and twice as long a one. */
  static final int SLOT_BYTES = 4 * AlignedMemory.PAGE_BYTES;

  /** For the reads of a batch, and as many that the one before has given up. */
  private static final int MAX_SLOTS = 2 * ReadBatch.MAX_READS;

  /** For a batch of the usual width. */
  private static final int USUAL_SLOTS = 32;

  private static final int SLOTS_PER_SLAB = 16;

  /** What of the ledger all slots may take: one part of so many. */
  private static final int LEDGER_SHARE = 32;

  private static final byte POISON = (byte) 0xA5;

  /** A read that is under way, or a file that is being opened for it. */
  static final class Slot {
    final ByteBuffer bytes;
    final long address;

    /** Null if it was given to another reader meanwhile. */
    Request request;

    /** Null while the file is being opened. */
    RingFiles.Descriptor from;

    boolean opensDirect;

    /** True while the system is told how the file is read. */
    boolean advises;

    boolean inKernel;

    /** Where in the file the slot's first byte is, and how many bytes are read from there. */
    long start;

    int window;

    /** Bytes in front of what is wanted. */
    int before;

    int got;
    boolean again;

    Slot(ByteBuffer bytes, long address) {
      this.bytes = bytes;
      this.address = address;
    }

    /** Says what to read: whole pages past the page cache, else what is wanted and no more. */
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

  /** So many rings have the usual slots each in what the ledger has for all; one at least. */
  static int rings(MemoryBudget memory, int most) {
    return (int) Math.min(Math.max(1, all(memory) / USUAL_SLOTS), most);
  }

  /** Those of one of so many rings. */
  static RingSlots share(MemoryBudget memory, int rings) {
    long fit = Math.min(Math.max(all(memory) / rings, SLOTS_PER_SLAB), MAX_SLOTS);
    return new RingSlots(memory, (int) (fit / SLOTS_PER_SLAB) * SLOTS_PER_SLAB);
  }

  private static long all(MemoryBudget memory) {
    return memory.capacityBytes() / LEDGER_SHARE / SLOT_BYTES;
  }

  /** True if a ring can do a read: of a real file, inside it, and not too long for a slot. */
  static boolean fit(Request request) {
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

  /** The most there can be. */
  int most() {
    return slots.length;
  }

  /** So many are not free. */
  int used() {
    return made - freeSlots;
  }

  /** The number of a free one, or -1. */
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

  /** Numbers are below this. */
  int made() {
    return made;
  }

  /** By number. */
  Slot get(int number) {
    return slots[number];
  }

  /** The one of this number that the kernel has, or null: a completion may be of nothing known. */
  Slot inKernel(int number) {
    Slot slot = number >= 0 && number < made ? slots[number] : null;
    return slot != null && slot.inKernel ? slot : null;
  }

  /** Takes one back that the kernel has let go of. */
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

  /** Gives the memory back, unless the kernel still has some of it. */
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
