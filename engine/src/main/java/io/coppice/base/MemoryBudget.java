// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The one ledger of off-heap memory, shared by any number of stores. Bytes are reserved here
 * <em>before</em> they are allocated and released after they were given back. The sum over all
 * roles exceeds the capacity by no more than what open cursors keep of flushed memtables. Safe to
 * share between threads; never blocks.
 *
 * <p>Units: bytes. Mapped files are not counted: the kernel may drop their pages at any time.
 */
public final class MemoryBudget {

  /** What memory is held for. */
  public enum Role {
    /** Entries not yet flushed. */
    MEMTABLE,
    /** Filters of tables. */
    FILTER,
    /** Indexes of tables. */
    INDEX,
    /** Cached blocks. */
    CACHE,
    /** Log and commit buffers. */
    LOG,
    /** Read-ahead and outputs of merges. */
    MERGE,
    /** Buffers of reads in flight. */
    READ
  }

  /** Stands before each reservation, so that any of them can be refused. */
  interface Gate {
    boolean lets(Role role, long bytes);

    /** Called between the two figures of a reservation, so that a test may change them there. */
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
   * A ledger of this capacity.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public static MemoryBudget ofBytes(long capacityBytes) {
    return new MemoryBudget(capacityBytes, (role, bytes) -> true);
  }

  /** A ledger of this capacity in units of 1,048,576 bytes. */
  public static MemoryBudget ofMebibytes(long mebibytes) {
    return ofBytes(Math.multiplyExact(mebibytes, 1L << 20));
  }

  /**
   * Claims room for memtables, before they need it: what is to stay, indexes, filters and cached
   * blocks, is refused from now on where it would not leave them that. Claims of several stores add
   * up.
   *
   * @param bytes what to claim; negative to give up a claim
   */
  public void claimForMemtables(long bytes) {
    long claim = memtableClaimBytes.addAndGet(bytes);
    assert claim >= 0 : claim;
  }

  /**
   * What can still be reserved under this role; negative if claims of others, or what readers keep,
   * exceed what is left.
   */
  public long roomBytes(Role role) {
    long used = usedBytes.get();
    return capacityBytes - used - unusedClaimBytes(role);
  }

  /** Bytes that a role must leave; negative where it may take what readers keep once more. */
  private long unusedClaimBytes(Role role) {
    long kept = keptByReadersBytes.get();
    if (role == Role.INDEX || role == Role.FILTER || role == Role.CACHE) {
      return Math.max(0, memtableClaimBytes.get() - (usedBytes(Role.MEMTABLE) - kept));
    }
    return -kept;
  }

  /**
   * Counts memory of memtables that are flushed and that only readers keep. Writes, flushes and
   * merges may take as much beyond the capacity, so that open cursors never stop them. Indexes,
   * filters and cached blocks may not.
   *
   * @param bytes reserved under {@link Role#MEMTABLE}; negative before they are released
   */
  public void keepForReaders(long bytes) {
    long kept = keptByReadersBytes.addAndGet(bytes);
    assert kept >= 0 : kept;
  }

  /** Reserves the bytes, all or none. False if they do not fit; then nothing has changed. */
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
        // Readers gave back what they kept, and others took it, since the first look.
        used = usedBytes.addAndGet(-bytes);
      } else {
        used = witness;
      }
    }
    return false;
  }

  /**
   * Returns whether the bytes fit beside those used. Readers count memory as kept only while it is
   * used, so what they keep must be read after what is used.
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

  /** The most that may be held. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes held now, all roles. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** Bytes held now under one role. */
  public long usedBytes(Role role) {
    return usedByRole.get(role.ordinal());
  }
}
