// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.thread.References;
import java.util.List;

/**
 * Immutable set of the memtables of one family at one instant, newest first: an active one, if any,
 * then those that wait to be flushed. May be empty. All holders share one count of references, so
 * taking one is a single atomic step; while the set is held, the memory of its memtables stays.
 * Safe to share between threads.
 */
public final class MemtableSet {

  private final List<Memtable> newestFirst;
  private final References references = new References();
  private volatile boolean released;

  /** Creates a set that owns one reference to each memtable. */
  MemtableSet(List<Memtable> newestFirst) {
    this.newestFirst = List.copyOf(newestFirst);
  }

  /** Returns the memtables, newest first, for use while the set is held. */
  public List<Memtable> newestFirst() {
    return newestFirst;
  }

  /**
   * Adds a reference, so that the memtables stay in memory until {@link #release}. Returns false,
   * without a reference, if the last one was already released.
   */
  boolean tryRetain() {
    return references.tryRetain();
  }

  /**
   * Releases a reference to the set, exactly once for each; the last one releases the memtables.
   */
  public void release() {
    if (references.release()) {
      for (Memtable memtable : newestFirst) {
        memtable.release();
      }
      released = true;
    }
  }

  /** Returns whether the last reference was released, so that the memory may be freed. */
  boolean released() {
    return released;
  }
}
