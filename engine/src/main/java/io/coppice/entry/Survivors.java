// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import java.util.Arrays;

/**
 * Decides which versions of a key some reader can still see. Fed the entries of one key newest
 * first; a version is needed if it is the newest, or if an open snapshot lies between it and the
 * next newer version. Not safe to share between threads.
 */
public final class Survivors {

  private final long[] snapshots;
  private long newer = Long.MAX_VALUE;

  /**
   * Takes the sequence numbers of the open snapshots, in any order.
   *
   * <p>A snapshot taken later need not be known: it sees at least everything that was visible when
   * the entries were sealed.
   */
  public Survivors(long[] snapshots) {
    this.snapshots = snapshots.clone();
    Arrays.sort(this.snapshots);
  }

  /** Says whether a version is needed, given that it is the newest of its key. */
  public boolean newest(long sequence) {
    newer = sequence;
    return true;
  }

  /** Says whether a version is needed, given that the version before it was of the same key. */
  public boolean older(long sequence) {
    assert sequence < newer : sequence + " does not follow " + newer;
    boolean seen = firstAtOrAfter(sequence) < firstAtOrAfter(newer);
    newer = sequence;
    return seen;
  }

  /**
   * True if a deletion hides nothing that a snapshot needs, so that it may go where no older data
   * of its key can exist.
   */
  public boolean deletionIsFinal(long sequence) {
    return snapshots.length == 0 || snapshots[0] >= sequence;
  }

  private int firstAtOrAfter(long sequence) {
    int at = Arrays.binarySearch(snapshots, sequence);
    return at >= 0 ? at : -at - 1;
  }
}
