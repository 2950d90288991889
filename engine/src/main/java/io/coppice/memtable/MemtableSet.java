// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memtables of one family at one instant, newest first: perhaps an active one, then those that
 * wait to be flushed. May be empty. All that hold it share one count of references, so taking one
 * is one atomic step; while any is held the memory of its memtables stays. Safe to share between
 * threads.
 */
public final class MemtableSet {

  private final List<Memtable> newestFirst;
  private final AtomicInteger references = new AtomicInteger(1);
  private volatile boolean released;

  /** Takes a reference to each memtable over. */
  MemtableSet(List<Memtable> newestFirst) {
    this.newestFirst = List.copyOf(newestFirst);
  }

  /** The memtables, to be used while the set is held. */
  public List<Memtable> newestFirst() {
    return newestFirst;
  }

  /** Adds a reference, unless the last one was released; false then. */
  boolean tryRetain() {
    int now = references.get();
    while (now > 0) {
      int witness = references.compareAndExchange(now, now + 1);
      if (witness == now) {
        return true;
      }
      now = witness;
    }
    return false;
  }

  /** Gives a reference back. */
  public void release() {
    int left = references.decrementAndGet();
    assert left >= 0 : "released more often than acquired";
    if (left == 0) {
      newestFirst.forEach(Memtable::release);
      released = true;
    }
  }

  /** True once the last reference was released. */
  boolean released() {
    return released;
  }
}
