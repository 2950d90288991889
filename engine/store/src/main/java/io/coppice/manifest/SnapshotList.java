// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import com.google.common.collect.SortedMultiset;
import com.google.common.collect.TreeMultiset;
import com.google.common.primitives.Longs;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.LongSupplier;

/**
 * Sequence numbers of the open snapshots. Flushes and merges keep the entries that these see. Safe
 * to share between threads.
 */
public final class SnapshotList {

  @GuardedBy("this")
  private final SortedMultiset<Long> open = TreeMultiset.create();

  /** Creates an empty list. */
  public SnapshotList() {}

  /**
   * Opens a snapshot of the present visible state and returns its sequence number. Reading the
   * visible number and registering it are one action, so that no flush or merge drops its entries
   * in between.
   */
  public synchronized long open(LongSupplier visible) {
    long sequence = visible.getAsLong();
    open.add(sequence);
    return sequence;
  }

  /** Closes one snapshot with this sequence number; others with the same number stay open. */
  public synchronized void close(long sequence) {
    boolean removed = open.remove(sequence);
    assert removed : "no snapshot at " + sequence;
  }

  /**
   * Returns the sequence numbers of all open snapshots, ascending, each once. The caller owns the
   * array.
   */
  public synchronized long[] sequences() {
    return Longs.toArray(open.elementSet());
  }
}
