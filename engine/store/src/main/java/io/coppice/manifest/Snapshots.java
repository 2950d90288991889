// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import com.google.common.collect.SortedMultiset;
import com.google.common.collect.TreeMultiset;
import com.google.common.primitives.Longs;
import java.util.function.LongSupplier;

/**
 * The sequence numbers of open snapshots. Flushes and merges keep what they see. Safe to share
 * between threads.
 */
public final class Snapshots {

  private final SortedMultiset<Long> open = TreeMultiset.create();

  /** Makes an empty registry. */
  public Snapshots() {}

  /**
   * Opens a snapshot of what is visible now. Reading the visible sequence number and registering it
   * are one step, so that no flush or merge in between forgets it.
   */
  public synchronized long open(LongSupplier visible) {
    long sequence = visible.getAsLong();
    open.add(sequence);
    return sequence;
  }

  /** Closes one snapshot of this sequence number. */
  public synchronized void close(long sequence) {
    boolean removed = open.remove(sequence);
    assert removed : "no snapshot at " + sequence;
  }

  /** The sequence numbers of all open snapshots, ascending, repeats left out. */
  public synchronized long[] sequences() {
    return Longs.toArray(open.elementSet());
  }
}
