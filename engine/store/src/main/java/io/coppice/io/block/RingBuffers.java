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
final class RingBuffers {

  /**
   * Size of a buffer in bytes: a block of the usual size or twice that at any offset, extended to
   * whole pages.
   */
  static final int BUFFER_BYTES = 4 * AlignedMemory.PAGE_BYTES;

  /**
   * Maximum number of buffers: one per read of a batch, and as many for reads that the batch before
   * abandoned.
   */
  private static final int MAX_BUFFERS = 2 * ReadBatch.MAX_READS;

  /** Number of buffers for a batch of the usual width. */
  private static final int USUAL_BUFFERS = 32;

  private static final int BUFFERS_PER_SLAB = 16;

  /** Divisor of the memory budget: the buffers of all rings take at most this part. */
  private static final int BUDGET_SHARE = 32;

  private static final byte POISON = (byte) 0xA5;

  /** Buffer with its read, or with the file that is being opened for it. */
  static final class Buffer {
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
     * Offset in the file where the buffer's first byte comes from; {@code window} is the number of
     * bytes to read.
     */
    long start;

    int window;

    /** Number of bytes read before the requested ones. */
    int before;

    int got;
    boolean again;

    Buffer(ByteBuffer bytes, long address) {
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
  private final Buffer[] buffers;
  private final int[] free;
  private int made;
  private int freeBuffers;
  private int slabCount;

  private RingBuffers(MemoryBudget memory, int most) {
    this.memory = memory;
    this.buffers = new Buffer[most];
    this.free = new int[most];
    this.slabs = new AlignedMemory[most / BUFFERS_PER_SLAB];
  }

  /**
   * Returns the number of rings that the budget can supply with the usual number of buffers; at
   * least one.
   *
   * @param most upper bound of the result
   */
  static int rings(MemoryBudget memory, int most) {
    return (int) Math.min(Math.max(1, all(memory) / USUAL_BUFFERS), most);
  }

  /** Creates the buffers of one of {@code rings} rings. */
  static RingBuffers share(MemoryBudget memory, int rings) {
    long fit = Math.min(Math.max(all(memory) / rings, BUFFERS_PER_SLAB), MAX_BUFFERS);
    return new RingBuffers(memory, (int) (fit / BUFFERS_PER_SLAB) * BUFFERS_PER_SLAB);
  }

  private static long all(MemoryBudget memory) {
    return memory.capacityBytes() / BUDGET_SHARE / BUFFER_BYTES;
  }

  /**
   * Returns whether a ring can carry out a read: the file is one of the file system, and the range
   * is inside it and short enough for a buffer.
   */
  static boolean fit(BlockReadRequest request) {
    return request.real != null
        && request.length > 0
        && request.offset >= 0
        && request.offset <= request.real.length() - request.length
        && wholePages(request.offset % AlignedMemory.PAGE_BYTES + request.length) <= BUFFER_BYTES;
  }

  private static int wholePages(long bytes) {
    return (int)
        Math.min(
            bytes + AlignedMemory.PAGE_BYTES - 1 & -AlignedMemory.PAGE_BYTES, Integer.MAX_VALUE);
  }

  /** Returns the maximum number of buffers. */
  int most() {
    return buffers.length;
  }

  /** Returns the number of buffers in use. */
  int used() {
    return made - freeBuffers;
  }

  /**
   * Reserves a buffer until {@link #give}. Returns its number, or -1 if all are in use and the
   * maximum number or the memory budget allows no more.
   *
   * @param ring gives the memory addresses of new buffers
   */
  int take(Ring ring) {
    if (freeBuffers == 0 && made < buffers.length) {
      addSlab(ring);
    }
    return freeBuffers == 0 ? -1 : free[--freeBuffers];
  }

  private void addSlab(Ring ring) {
    AlignedMemory slab = AlignedMemory.tryAllocate(memory, BUFFERS_PER_SLAB * BUFFER_BYTES);
    if (slab == null) {
      return;
    }
    slabs[slabCount++] = slab;
    long address = ring.address(slab.pages());
    for (int i = 0; i < BUFFERS_PER_SLAB; i++) {
      ByteBuffer bytes = slab.pages().slice(i * BUFFER_BYTES, BUFFER_BYTES);
      buffers[made] = new Buffer(bytes, address + (long) i * BUFFER_BYTES);
      free[freeBuffers++] = made++;
    }
  }

  /** Returns the number of buffers allocated up to now; all buffer numbers are below it. */
  int made() {
    return made;
  }

  /** Returns the buffer with a number. */
  Buffer get(int number) {
    return buffers[number];
  }

  /**
   * Returns the buffer with this number if the kernel has it, else null: a completion may have an
   * unknown number.
   */
  Buffer inKernel(int number) {
    Buffer buffer = number >= 0 && number < made ? buffers[number] : null;
    return buffer != null && buffer.inKernel ? buffer : null;
  }

  /** Frees a buffer that the kernel no longer owns. */
  void give(int number) {
    Buffer buffer = buffers[number];
    assert poison(buffer.bytes);
    buffer.request = null;
    buffer.from = null;
    assert !isFree(number) : "given twice";
    free[freeBuffers++] = number;
  }

  private boolean isFree(int number) {
    for (int i = 0; i < freeBuffers; i++) {
      if (free[i] == number) {
        return true;
      }
    }
    return false;
  }

  private static boolean poison(ByteBuffer bytes) {
    for (int i = 0; i < BUFFER_BYTES; i += AlignedMemory.PAGE_BYTES / 8) {
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
    freeBuffers = 0;
    return true;
  }
}
