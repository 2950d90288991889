// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import java.util.Arrays;

/**
 * Division of sequence numbers by the open snapshots into stripes: a snapshot sees all numbers of a
 * stripe or none. Only the combined effect of a key's versions in one stripe is needed. Immutable.
 *
 * <p>A snapshot taken later need not be known: it sees at least everything that was visible when
 * the entries were sealed.
 */
public final class SnapshotStripes {

  private final long[] snapshots;

  /** Creates stripes for the sequence numbers of the open snapshots, in any order. */
  public SnapshotStripes(long[] snapshots) {
    this.snapshots = snapshots.clone();
    Arrays.sort(this.snapshots);
  }

  /**
   * Returns the stripe of a sequence number. It is the number of open snapshots that do not see the
   * sequence number: 0 for the oldest stripe.
   */
  public int of(long sequence) {
    if (snapshots.length == 0) {
      return 0;
    }
    int at = Arrays.binarySearch(snapshots, sequence);
    return at >= 0 ? at : -at - 1;
  }

  /** Returns whether no snapshot sees the stripe. */
  public boolean isUnseen(int stripe) {
    return stripe == snapshots.length;
  }

  /**
   * Returns whether every snapshot sees the stripe. A deletion in it affects no snapshot, so it may
   * be dropped where older data is impossible.
   */
  public static boolean isSeenByAll(int stripe) {
    return stripe == 0;
  }
}
