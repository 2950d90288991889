// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import java.util.Arrays;

/**
 * Sequence numbers divided by the open snapshots: a snapshot sees all numbers of a stripe or none.
 * So of the versions of a key that fall into one stripe only what they amount to together is
 * needed. Immutable.
 *
 * <p>A snapshot taken later need not be known: it sees at least everything that was visible when
 * the entries were sealed.
 */
public final class SnapshotStripes {

  private final long[] snapshots;

  /** Takes the sequence numbers of the open snapshots, in any order. */
  public SnapshotStripes(long[] snapshots) {
    this.snapshots = snapshots.clone();
    Arrays.sort(this.snapshots);
  }

  /** The stripe of a sequence number: how many snapshots do not see it. */
  public int of(long sequence) {
    if (snapshots.length == 0) {
      return 0;
    }
    int at = Arrays.binarySearch(snapshots, sequence);
    return at >= 0 ? at : -at - 1;
  }

  /** True if no snapshot sees the stripe. */
  public boolean isUnseen(int stripe) {
    return stripe == snapshots.length;
  }

  /**
   * True if every snapshot sees the stripe: a deletion in it hides nothing that one needs, so that
   * it may go where no older data can exist.
   */
  public static boolean isSeenByAll(int stripe) {
    return stripe == 0;
  }
}
