// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.ClosedException;
import io.coppice.base.StackRoom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The memtables that hold what a family has not yet in tables: the active one, if the family was
 * written to since the last seal, and those sealed, which wait to be flushed. Readers take the
 * present set without a lock. Safe to share between threads.
 */
public final class Memtables {

  /** How often a closing store looks whether readers are done. */
  private static final long WAIT_NANOS = 100_000;

  /** Replaced as a whole under the lock of this; null once closed. */
  private volatile MemtableSet current = new MemtableSet(List.of());

  /** The first of the current set if that takes writes, or null. Changed under the lock of this. */
  private volatile Memtable active;

  /** Replaced, yet perhaps still held by a reader. Guarded by this. */
  private final List<MemtableSet> lingering = new ArrayList<>();

  private final EmptyRanges emptyRanges = new EmptyRanges(this);

  private volatile String closedName = "the store";

  /** Starts without a memtable. */
  public Memtables() {}

  /**
   * The present set, to be released exactly once.
   *
   * @throws ClosedException if it is closed
   * @throws StackOverflowError if the thread has too little stack to release it
   */
  public MemtableSet acquire() {
    StackRoom.requireLittle();
    while (true) {
      MemtableSet set = current;
      if (set == null) {
        throw new ClosedException(closedName);
      }
      // The last reference can only be gone if another set took its place meanwhile.
      if (set.tryRetain()) {
        return set;
      }
      Thread.onSpinWait();
    }
  }

  /** Ranges of keys of the family in which cursors saw no value. */
  public EmptyRanges emptyRanges() {
    return emptyRanges;
  }

  /** Returns whether no memtable was added or dropped since a set was acquired. */
  public boolean isCurrent(MemtableSet set) {
    return current == set;
  }

  /** The one that takes writes, or null. */
  public Memtable active() {
    return active;
  }

  /** Lets a memtable take writes where none does; its first reference is taken over. */
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
   * Seals the active one, if there is one.
   *
   * @return it, with a reference that is the caller's; null if there is none
   */
  public synchronized Memtable seal() {
    Memtable sealed = active;
    if (sealed != null && !sealed.tryRetain()) {
      throw new IllegalStateException("the set that names a memtable does not hold it");
    }
    active = null;
    return sealed;
  }

  /** Drops the oldest sealed one, after its flush was installed. In vain once closed. */
  public synchronized void dropOldest(Memtable flushed) {
    if (current == null) {
      return;
    }
    List<Memtable> memtables = current.newestFirst();
    int last = memtables.size() - 1;
    assert memtables.get(last) == flushed && flushed != active : "only the oldest is flushed";
    List<Memtable> left = memtables.subList(0, last);
    replace(new MemtableSet(left), left);
    flushed.keepForReaders();
  }

  /**
   * Replaces the current set, or leaves it and throws. The lock of this is held.
   *
   * @param shared the memtables of the next set that the present one has too
   */
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
   * Drops all; those that readers hold go with their last reader.
   *
   * @param name what is closed, for messages
   */
  public synchronized void close(String name) {
    closedName = name;
    active = null;
    replace(null, List.of());
  }

  /**
   * Waits until no reader holds a set, after {@link #close}. A thread that died inside a lookup
   * gives nothing back, so the wait has an end.
   *
   * @param nanos the longest wait
   * @return false if a reader still holds one; it gives the memory back later, if it lives
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

  private void forgetReleased() {
    for (Iterator<MemtableSet> sets = lingering.iterator(); sets.hasNext(); ) {
      if (sets.next().released()) {
        sets.remove();
      }
    }
  }

  /** True if no reader holds a set, after {@link #close}. */
  public synchronized boolean released() {
    forgetReleased();
    return current == null && lingering.isEmpty();
  }

  /** Direct memory held for the present set, in bytes; 0 once closed. */
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
