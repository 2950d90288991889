// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.References;
import java.util.List;

/**
 * The memtables of one family at one instant, newest first: perhaps an active one, then those that
 * wait to be flushed. May be empty. All that hold it share one count of references, so taking one
 * is one atomic step; while any is held the memory of its memtables stays. Safe to share between
 * threads.
 */
public final class MemtableSet {

  private final List<Memtable> newestFirst;
  private final References references = new References();
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
    return references.tryRetain();
  }

  /** Gives a reference back. */
  public void release() {
    if (references.release()) {
      for (Memtable memtable : newestFirst) {
        memtable.release();
      }
      released = true;
    }
  }

  /** True once the last reference was released. */
  boolean released() {
    return released;
  }
}
