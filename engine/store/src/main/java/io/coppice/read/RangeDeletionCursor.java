// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.EntryOrder;
import io.coppice.entry.ForwardingCursor;
import io.coppice.entry.RangeDeletions;
import io.coppice.entry.RangeDeletions.Fragment;
import java.util.Arrays;
import java.util.List;

/**
 * Cursor that applies range deletions to a source at one sequence number. A deletion of a newer
 * source hides everything in its range, so the cursor jumps over the range. A deletion of the
 * source itself hides older entries; the cursor shows these as deletions of their keys, so a caller
 * that skips deleted keys skips these too. Owns the inner cursor and lends its bytes.
 *
 * <p>The cursor remembers the zone around its position, where the same deletions apply. A step
 * inside the zone costs two comparisons; a step out of it searches the deletions again.
 */
final class RangeDeletionCursor extends ForwardingCursor {

  private final List<RangeDeletions> newer;
  private final RangeDeletions own;
  private final long sequence;

  private boolean valid;

  /** Whether a deletion of the source hides the entry. */
  private boolean deleted;

  /**
   * Lower bound, inclusive, of the zone around the position; the next field is its upper bound,
   * exclusive. Null is unbounded.
   */
  private byte[] rangeFrom;

  private byte[] rangeTo;

  /**
   * Sequence number of the source's own newest deletion in the zone. Older entries in the zone are
   * deleted.
   */
  private long rangeCover;

  /** Whether a deletion of a newer source hides everything in the zone. */
  private boolean rangeHidden;

  /** Whether the zone of the fields above was computed before. */
  private boolean rangeKnown;

  private RangeDeletionCursor(
      EntryCursor inner, List<RangeDeletions> newer, RangeDeletions own, long sequence) {
    super(inner);
    this.newer = newer;
    this.own = own;
    this.sequence = sequence;
  }

  /**
   * Returns a cursor that omits the hidden entries, or the given cursor if nothing can be hidden.
   *
   * @param newer the deletions of all newer sources; unchanged afterwards
   * @param own the deletions of the source
   * @param sequence the newest visible sequence number
   */
  static EntryCursor of(
      EntryCursor inner, List<RangeDeletions> newer, RangeDeletions own, long sequence) {
    return newer.isEmpty() && own.isEmpty()
        ? inner
        : new RangeDeletionCursor(inner, newer, own, sequence);
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public void first() {
    valid = false;
    inner.first();
    settleForward();
  }

  @Override
  public void last() {
    valid = false;
    inner.last();
    settleBackward();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long from) {
    valid = false;
    inner.seek(key, offset, length, from);
    settleForward();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long from) {
    valid = false;
    inner.seekBefore(key, offset, length, from);
    settleBackward();
  }

  @Override
  public void next() {
    assert valid;
    valid = false;
    inner.next();
    settleForward();
  }

  @Override
  public void prev() {
    assert valid;
    valid = false;
    inner.prev();
    settleBackward();
  }

  private void settleForward() {
    while (inner.valid()) {
      findZone();
      if (rangeHidden) {
        if (rangeTo == null) {
          return;
        }
        inner.seek(rangeTo, 0, rangeTo.length);
      } else {
        deleted = inner.sequence() < rangeCover;
        valid = true;
        return;
      }
    }
  }

  private void settleBackward() {
    while (inner.valid()) {
      findZone();
      if (rangeHidden) {
        inner.seekBefore(rangeFrom, 0, rangeFrom.length, NEWEST_VERSION);
      } else {
        deleted = inner.sequence() < rangeCover;
        valid = true;
        return;
      }
    }
  }

  @Override
  public EntryKind kind() {
    return deleted ? EntryKind.DELETE : inner.kind();
  }

  @Override
  public int valueLength() {
    return deleted ? 0 : inner.valueLength();
  }

  private boolean inZone() {
    return rangeKnown
        && (rangeFrom == null || EntryOrder.compareKey(inner, rangeFrom, 0, rangeFrom.length) >= 0)
        && (rangeTo == null || EntryOrder.compareKey(inner, rangeTo, 0, rangeTo.length) < 0);
  }

  private void findZone() {
    if (inZone()) {
      return;
    }
    rangeKnown = true;
    rangeFrom = null;
    rangeTo = null;
    rangeCover = -1;
    rangeHidden = false;
    for (RangeDeletions deletions : newer) {
      if (narrow(deletions) >= 0) {
        rangeHidden = true;
        return;
      }
    }
    rangeCover = narrow(own);
  }

  /**
   * Narrows the zone to the fragment around the inner cursor's key, or to the gap between visible
   * fragments.
   *
   * @return the sequence number of the newest visible deletion of the key, or -1; for a deletion of
   *     a newer source the zone becomes its fragment
   */
  private long narrow(RangeDeletions deletions) {
    byte[] key = inner.keyArray();
    int index = deletions.ceiling(key, inner.keyOffset(), inner.keyLength());
    if (index < deletions.size()) {
      Fragment fragment = deletions.fragment(index);
      long cover = fragment.newest(sequence);
      if (cover >= 0 && fragment.covers(key, inner.keyOffset(), inner.keyLength())) {
        if (deletions != own) {
          rangeFrom = fragment.from();
          rangeTo = fragment.to();
        } else {
          raiseFrom(fragment.from());
          lowerTo(fragment.to());
        }
        return cover;
      }
    }
    for (int after = index; after < deletions.size(); after++) {
      Fragment fragment = deletions.fragment(after);
      if (fragment.newest(sequence) >= 0) {
        lowerTo(fragment.from());
        break;
      }
    }
    for (int before = index - 1; before >= 0; before--) {
      Fragment fragment = deletions.fragment(before);
      if (fragment.newest(sequence) >= 0) {
        raiseFrom(fragment.to());
        break;
      }
    }
    return -1;
  }

  private void raiseFrom(byte[] bound) {
    if (rangeFrom == null || Arrays.compareUnsigned(bound, rangeFrom) > 0) {
      rangeFrom = bound;
    }
  }

  private void lowerTo(byte[] bound) {
    if (rangeTo == null || Arrays.compareUnsigned(bound, rangeTo) < 0) {
      rangeTo = bound;
    }
  }

  @Override
  public void close() {
    valid = false;
    super.close();
  }
}
