// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Memory budget: the common account of off-heap memory for any number of stores. Bytes are reserved
 * <em>before</em> they are allocated and released after they are freed. The sum over all roles
 * exceeds the capacity at most by the memory of flushed memtables that open cursors keep. Safe to
 * share between threads; never blocks.
 *
 * <p>Units: bytes. Mapped files do not count, because the kernel may drop their pages at any time.
 */
public final class MemoryBudget {

  /** Purpose of reserved memory. */
  public enum Role {
    /** Entries not yet flushed. */
    MEMTABLE,
    /** Loaded filters of tables. */
    FILTER,
    /** Loaded indexes of tables. */
    INDEX,
    /** Blocks in the block cache. */
    CACHE,
    /** Log and commit buffers. */
    LOG,
    /** Read-ahead and outputs of merges. */
    MERGE,
    /** Buffers of reads in flight. */
    READ
  }

  /** Hook of tests before each reservation, which may refuse it. */
  interface Gate {
    boolean lets(Role role, long bytes);

    /** Runs between the two reads of a reservation, so that a test may change values there. */
    default void between() {}
  }

  private final long capacityBytes;
  private final Gate gate;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong memtableClaimBytes = new AtomicLong();
  private final AtomicLong keptByReadersBytes = new AtomicLong();
  private final AtomicLongArray usedByRole = new AtomicLongArray(Role.values().length);

  MemoryBudget(long capacityBytes, Gate gate) {
    if (capacityBytes <= 0) {
      throw new IllegalArgumentException(
          "capacityBytes (" + capacityBytes + ") must be at least 1");
    }
    this.capacityBytes = capacityBytes;
    this.gate = gate;
  }

  /**
   * Returns a budget of this capacity.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public static MemoryBudget ofBytes(long capacityBytes) {
    return new MemoryBudget(capacityBytes, (role, bytes) -> true);
  }

  /**
   * Returns a budget of this capacity in units of 1,048,576 bytes.
   *
   * @throws IllegalArgumentException if it is not positive
   * @throws ArithmeticException if the bytes exceed a long
   */
  public static MemoryBudget ofMebibytes(long mebibytes) {
    return ofBytes(Math.multiplyExact(mebibytes, 1L << 20));
  }

  /**
   * Claims room for memtables before they need it. From now on, indexes, filters and cached blocks
   * are refused if they would not leave that room. Claims of several stores add up.
   *
   * @param bytes bytes to claim; negative to give up a claim
   */
  public void claimForMemtables(long bytes) {
    long claim = memtableClaimBytes.addAndGet(bytes);
    assert claim >= 0 : claim;
  }

  /**
   * Returns the bytes that a role can still reserve now. For indexes, filters and cached blocks the
   * unused memtable claim is subtracted, so the result may be negative.
   */
  public long roomBytes(Role role) {
    long used = usedBytes.get();
    return capacityBytes - used - unusedClaimBytes(role);
  }

  /**
   * Returns the bytes that a role must leave free for memtables; negative if it may use the memory
   * kept by readers a second time.
   */
  private long unusedClaimBytes(Role role) {
    long kept = keptByReadersBytes.get();
    if (role == Role.INDEX || role == Role.FILTER || role == Role.CACHE) {
      return Math.max(0, memtableClaimBytes.get() - (usedBytes(Role.MEMTABLE) - kept));
    }
    return -kept;
  }

  /**
   * Counts memory of flushed memtables that only readers keep. Writes, flushes and merges may
   * exceed the capacity by as much, so that open cursors never stop them. Indexes, filters and
   * cached blocks may not.
   *
   * @param bytes reserved under {@link Role#MEMTABLE}; negative before they are released
   */
  public void keepForReaders(long bytes) {
    long kept = keptByReadersBytes.addAndGet(bytes);
    assert kept >= 0 : kept;
  }

  /**
   * Reserves the bytes, all or none. Returns whether they fit; false changes nothing. Their owner
   * releases them once, under the same role.
   */
  public boolean tryReserve(Role role, long bytes) {
    assert bytes >= 0 : bytes;
    if (!gate.lets(role, bytes)) {
      return false;
    }
    long used = usedBytes.get();
    gate.between();
    while (fits(role, bytes, used)) {
      long witness = usedBytes.compareAndExchange(used, used + bytes);
      if (witness == used) {
        if (fits(role, bytes, used)) {
          usedByRole.addAndGet(role.ordinal(), bytes);
          return true;
        }
        // Since the first check readers released memory that they kept, and others took it.
        used = usedBytes.addAndGet(-bytes);
      } else {
        used = witness;
      }
    }
    return false;
  }

  /**
   * Returns whether more bytes fit beside those in use.
   *
   * @param used bytes in use; must be read before the bytes kept for readers, because these count
   *     only while they are in use
   */
  private boolean fits(Role role, long bytes, long used) {
    return bytes <= capacityBytes - unusedClaimBytes(role) - used;
  }

  /** Releases bytes that were reserved under the same role. Never fails. */
  public void release(Role role, long bytes) {
    assert bytes >= 0 : bytes;
    long left = usedByRole.addAndGet(role.ordinal(), -bytes);
    assert left >= 0 : role + " released " + -left + " bytes that it did not hold";
    usedBytes.addAndGet(-bytes);
  }

  /** Returns the capacity in off-heap bytes, at least 1. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /** Returns the bytes reserved now, all roles together. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** Returns the bytes reserved now under one role. */
  public long usedBytes(Role role) {
    return usedByRole.get(role.ordinal());
  }
}
