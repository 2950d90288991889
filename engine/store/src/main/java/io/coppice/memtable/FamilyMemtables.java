// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.ClosedException;
import io.coppice.base.thread.StackRoom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Memtables of one family: the active one, if the family was written to since the last seal, and
 * the sealed ones, which wait to be flushed. Readers take the present set without a lock. Safe to
 * share between threads.
 */
public final class FamilyMemtables {

  /** Pause in nanoseconds between two polls of a closing store that waits for readers. */
  private static final long WAIT_NANOS = 100_000;

  /** Present set, replaced as a whole under the monitor of this; null once closed. */
  private volatile MemtableSet current = new MemtableSet(List.of());

  /**
   * First memtable of the present set if it takes writes, or null. Changed under the monitor of
   * this.
   */
  private volatile Memtable active;

  /** Replaced sets that a reader may still hold. */
  @GuardedBy("this")
  private final List<MemtableSet> lingering = new ArrayList<>();

  private final EmptyRanges emptyRanges = new EmptyRanges(this);

  private volatile String closedName = "the store";

  /** Creates an empty instance. */
  public FamilyMemtables() {}

  /**
   * Returns the present set, which the caller releases exactly once.
   *
   * @throws ClosedException if this object is closed
   * @throws StackOverflowError if the thread has too little stack to release the set
   */
  public MemtableSet acquire() {
    StackRoom.requireLittle();
    while (true) {
      MemtableSet set = current;
      if (set == null) {
        throw new ClosedException(closedName);
      }
      // The last reference is gone only if another set has replaced this one.
      if (set.tryRetain()) {
        return set;
      }
      Thread.onSpinWait();
    }
  }

  /** Returns the cache of empty key ranges of the family. */
  public EmptyRanges emptyRanges() {
    return emptyRanges;
  }

  /** Returns whether no memtable was added or dropped since a set was acquired. */
  public boolean isCurrent(MemtableSet set) {
    return current == set;
  }

  /** Returns the memtable that takes writes, or null. The reference stays with this object. */
  public Memtable active() {
    return active;
  }

  /**
   * Activates an empty memtable for writes; there is no active one. This object owns its first
   * reference, and releases it at once if it is closed.
   */
  public synchronized void activate(Memtable next) {
    assert active == null : "one takes writes already";
    if (current == null) {
      next.release();
      return;
    }
    next.checkAgainst(emptyRanges);
    List<Memtable> older = current.newestFirst();
    List<Memtable> longer = new ArrayList<>();
    longer.add(next);
    longer.addAll(older);
    replace(new MemtableSet(longer), older);
    active = next;
  }

  /**
   * Seals the active memtable, if there is one.
   *
   * @return the memtable, with a reference that the caller owns; null if there is none
   */
  public synchronized Memtable seal() {
    Memtable sealed = active;
    if (sealed != null && !sealed.tryRetain()) {
      throw new IllegalStateException("the active memtable was released before it was sealed");
    }
    active = null;
    return sealed;
  }

  /**
   * Drops the oldest sealed memtable, whose entries are in tables or which is empty. Does nothing
   * once closed.
   */
  public synchronized void dropOldest(Memtable oldest) {
    if (current == null) {
      return;
    }
    List<Memtable> memtables = current.newestFirst();
    int last = memtables.size() - 1;
    assert memtables.get(last) == oldest && oldest != active : "only the oldest is dropped";
    List<Memtable> left = memtables.subList(0, last);
    replace(new MemtableSet(left), left);
    oldest.keepForReaders();
  }

  /**
   * Replaces the present set, or keeps it and throws.
   *
   * @param shared the memtables that both sets have
   */
  @GuardedBy("this")
  private void replace(MemtableSet next, List<Memtable> shared) {
    MemtableSet old = current;
    forgetReleased();
    int held = 0;
    boolean replaced = false;
    try {
      for (; held < shared.size(); held++) {
        shared.get(held).tryRetain();
      }
      if (old != null) {
        lingering.add(old);
      }
      current = next;
      replaced = true;
    } finally {
      while (!replaced && held > 0) {
        shared.get(--held).release();
      }
    }
    if (old != null) {
      old.release();
    }
  }

  /**
   * Closes the family's memtables without waiting. Memory that readers hold is freed by the last of
   * them.
   *
   * @param name name of the closed object, for messages
   */
  public synchronized void close(String name) {
    closedName = name;
    active = null;
    replace(null, List.of());
  }

  /**
   * Waits until no reader holds a set, after {@link #close}. An interrupt stays set and does not
   * end the wait. The wait is bounded, because a thread that died inside a lookup never releases
   * its set.
   *
   * @param nanos the longest wait for all sets together
   * @return whether all sets were released; a remaining reader frees the memory later
   */
  public boolean awaitReleased(long nanos) {
    List<MemtableSet> held;
    synchronized (this) {
      held = List.copyOf(lingering);
    }
    boolean interrupted = false;
    boolean all = true;
    long started = System.nanoTime();
    for (MemtableSet set : held) {
      while (!set.released() && System.nanoTime() - started < nanos) {
        LockSupport.parkNanos(WAIT_NANOS);
        interrupted |= Thread.interrupted();
      }
      all &= set.released();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return all;
  }

  @GuardedBy("this")
  private void forgetReleased() {
    for (Iterator<MemtableSet> sets = lingering.iterator(); sets.hasNext(); ) {
      if (sets.next().released()) {
        sets.remove();
      }
    }
  }

  /** Returns whether all sets are released, after {@link #close}. */
  public synchronized boolean released() {
    forgetReleased();
    return current == null && lingering.isEmpty();
  }

  /** Returns the bytes of direct memory that entries use in the present set; 0 once closed. */
  public long usedBytes() {
    MemtableSet set = current;
    long bytes = 0;
    if (set != null) {
      for (Memtable memtable : set.newestFirst()) {
        bytes += memtable.usedBytes();
      }
    }
    return bytes;
  }

  /** Returns the bytes of direct memory of the present set, in use or not; 0 once closed. */
  public long bytes() {
    MemtableSet set = current;
    long bytes = 0;
    if (set != null) {
      for (Memtable memtable : set.newestFirst()) {
        bytes += memtable.bytes();
      }
    }
    return bytes;
  }
}
