// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The memtables that hold what is not yet in tables: the active one and those sealed, which wait to
 * be flushed. Readers take the present set without a lock. Safe to share between threads.
 */
public final class Memtables {

  /** How often a closing store looks whether readers are done. */
  private static final long WAIT_NANOS = 100_000;

  /** Newest first; replaced as a whole under the lock of this. Empty once closed. */
  private volatile Memtable[] current;

  /** Flushed, yet perhaps still held by a reader. Guarded by this. */
  private final List<Memtable> lingering = new ArrayList<>();

  /** Starts with one active memtable, whose first reference is taken over. */
  public Memtables(Memtable active) {
    current = new Memtable[] {active};
  }

  /**
   * The present set, newest first, each retained; empty once closed. Give it back by {@link
   * #release}.
   */
  public Memtable[] acquire() {
    while (true) {
      Memtable[] set = current;
      int held = 0;
      while (held < set.length && set[held].tryRetain()) {
        held++;
      }
      if (held == set.length) {
        return set;
      }
      while (held > 0) {
        set[--held].release();
      }
      Thread.onSpinWait();
    }
  }

  /** Gives a set back. */
  public static void release(Memtable[] set) {
    for (Memtable memtable : set) {
      memtable.release();
    }
  }

  /** The one that takes writes. */
  public Memtable active() {
    return current[0];
  }

  /** How many wait to be flushed. */
  public int sealed() {
    return Math.max(0, current.length - 1);
  }

  /** Seals the active one; the next takes its place, and its first reference is taken over. */
  public synchronized void seal(Memtable next) {
    Memtable[] set = current;
    Memtable[] longer = new Memtable[set.length + 1];
    longer[0] = next;
    System.arraycopy(set, 0, longer, 1, set.length);
    current = longer;
  }

  /** Drops the oldest sealed one, after its flush was installed. */
  public synchronized void dropOldest(Memtable flushed) {
    Memtable[] set = current;
    assert set.length > 1 && set[set.length - 1] == flushed : "only the oldest is flushed";
    current = Arrays.copyOf(set, set.length - 1);
    flushed.release();
    lingering.removeIf(Memtable::released);
    lingering.add(flushed);
  }

  /** Drops all, and returns when the last reader has given its set back. */
  public void closeAndWait() {
    List<Memtable> held;
    synchronized (this) {
      held = new ArrayList<>(lingering);
      held.addAll(List.of(current));
      release(current);
      current = new Memtable[0];
    }
    boolean interrupted = false;
    for (Memtable memtable : held) {
      while (!memtable.released()) {
        LockSupport.parkNanos(WAIT_NANOS);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Direct memory held by the set, in bytes. */
  public long bytes() {
    long bytes = 0;
    for (Memtable memtable : current) {
      bytes += memtable.bytes();
    }
    return bytes;
  }
}
