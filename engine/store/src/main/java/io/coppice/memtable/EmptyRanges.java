// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Cache of key ranges that held only deleted keys when a cursor scanned them. Later cursors jump
 * over them. For example, a cursor at the head of a queue skips the removed keys that an earlier
 * cursor has passed. Safe to share between threads; cursors and the writer take no lock.
 *
 * <p>A range is a fact about keys and sequence numbers, so flushes and merges leave it valid. A
 * value written into it shortens it. A newer range may replace or shorten it too, and at most 64
 * are kept. The writer checks each value against the watched ranges, and a range ends at or before
 * the smallest key written into it since its watch began.
 *
 * <p>The cursor and the writer race. The cursor publishes the range and then reads the sequence
 * number of the newest value. The writer publishes that number, by a write to the volatile count of
 * entries, and then reads the ranges. At least one of them sees the other. If the cursor sees a
 * newer value, it withdraws the range.
 */
public final class EmptyRanges {

  /**
   * Maximum number of ranges, which is enough for one at the head of each of many queues. The
   * writer finds a range by binary search.
   */
  private static final int MAX_RANGES = 64;

  private static final Range[] NONE = {};

  private final FamilyMemtables memtables;

  /** Ranges by ascending begin. Each ends at or before the begin of the next. */
  private final AtomicReference<Range[]> ranges = new AtomicReference<>(NONE);

  /**
   * Sequence number of the newest value, -1 before the first. Written by the thread that writes the
   * memtable.
   */
  private final AtomicLong lastAdded = new AtomicLong(-1);

  EmptyRanges(FamilyMemtables memtables) {
    this.memtables = memtables;
  }

  /** Watched range of keys from its begin, inclusive. */
  private static final class Range {

    /**
     * Observation of an empty range by a cursor.
     *
     * @param end exclusive; null if no key follows
     * @param sequence newest sequence number that the cursor saw
     * @param nowMillis time used by the cursor to judge expiry
     */
    private record Seen(byte[] end, long sequence, long nowMillis) {

      Seen extended(byte[] newEnd, Seen by) {
        return new Seen(newEnd, Math.max(sequence, by.sequence), Math.max(nowMillis, by.nowMillis));
      }
    }

    private final byte[] begin;
    private final long since;
    private final AtomicReference<byte[]> smallestAdded = new AtomicReference<>();
    private volatile Seen seen;

    /**
     * Whether the writer certainly checks every value against the range. The writer may have added
     * a value before it saw the range.
     */
    private volatile boolean confirmed;

    private Range(byte[] begin, long since) {
      this.begin = begin;
      this.since = since;
      this.seen = new Seen(begin, since, Long.MIN_VALUE);
    }

    /**
     * Returns the end of an observed range, exclusive, shortened to the smallest key written since;
     * null if no key follows.
     */
    private byte[] end(Seen what) {
      byte[] added = smallestAdded.get();
      return added == null || isUpTo(what.end, added) ? what.end : added;
    }

    /** Returns whether the range reaches a key at or after its begin. */
    private boolean touches(byte[] key) {
      byte[] end = end(seen);
      return end == null || Arrays.compareUnsigned(end, key) >= 0;
    }

    /** Ends the range before a key, unless it ends earlier already. */
    private void cut(byte[] key, int offset, int length) {
      byte[] before;
      byte[] copy = null;
      do {
        before = smallestAdded.get();
        if (before != null && Bytes.compare(before, 0, before.length, key, offset, length) <= 0) {
          return;
        }
        copy = copy == null ? copyOrBegin(key, offset, length) : copy;
      } while (!smallestAdded.compareAndSet(before, copy));
    }

    /**
     * Copies a key that ends a range. With a full heap returns the begin instead, which empties the
     * range, because the write must not fail.
     */
    private byte[] copyOrBegin(byte[] key, int offset, int length) {
      try {
        return Bytes.copy(key, offset, length);
      } catch (OutOfMemoryError e) {
        return begin;
      }
    }

    /** Returns whether no key below an end was written since the watch began. */
    private boolean isWatchedUpTo(byte[] end) {
      byte[] added = smallestAdded.get();
      return added == null || isUpTo(end, added);
    }
  }

  /** Returns whether an end is at or before a key; null is after all keys. */
  private static boolean isUpTo(byte[] end, byte[] key) {
    return end != null && Arrays.compareUnsigned(end, key) <= 0;
  }

  /** Announces a value that is in the memtable but not counted yet. Called by the writer. */
  void adding(long sequence) {
    lastAdded.setOpaque(sequence);
  }

  /** Checks a counted value against the ranges. Called by the writer. */
  void added(byte[] key, int offset, int length) {
    Range[] all = ranges.get();
    int place = all.length == 0 ? -1 : floor(all, key, offset, length);
    if (place >= 0) {
      all[place].cut(key, offset, length);
    }
  }

  /** Returns the index of the last range that begins at or before a key, or -1. */
  private static int floor(Range[] all, byte[] key, int offset, int length) {
    int low = 0;
    int high = all.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] begin = all[middle].begin;
      if (Bytes.compare(begin, 0, begin.length, key, offset, length) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /**
   * Range without a value for a cursor.
   *
   * @param begin inclusive; shared
   * @param end exclusive, null if no key follows; shared
   */
  public record Found(byte[] begin, byte[] end) {}

  /**
   * Returns the empty range that contains a key, as far as a cursor may rely on it, or null.
   *
   * @param sequence the newest sequence number that the cursor sees
   * @param nowMillis time used by the cursor to judge expiry
   */
  public Found find(byte[] key, int offset, int length, long sequence, long nowMillis) {
    Range[] all = ranges.get();
    int place = all.length == 0 ? -1 : floor(all, key, offset, length);
    if (place < 0) {
      return null;
    }
    Range range = all[place];
    Range.Seen seen = range.seen;
    if (!range.confirmed || seen.sequence > sequence || seen.nowMillis > nowMillis) {
      return null;
    }
    byte[] end = range.end(seen);
    boolean inside = end == null || Bytes.compare(end, 0, end.length, key, offset, length) > 0;
    return inside ? new Found(range.begin, end) : null;
  }

  /**
   * Begins to watch the keys from a key on, so that {@link #keep} can add the range once its end is
   * known. Does nothing if a value was added since the cursor's view.
   *
   * @param begin shared from now on; must not change
   * @param sequence the newest sequence number that the cursor sees
   */
  public void watch(byte[] begin, long sequence) {
    install(begin, begin, sequence);
  }

  /**
   * Records that a cursor has seen no value in a range. Ignores the range if values were added that
   * the cursor does not see.
   *
   * @param begin inclusive; shared and constant from now on
   * @param end exclusive, null if no key follows; shared and constant from now on
   * @param sequence the newest sequence number that the cursor sees
   * @param nowMillis time used by the cursor to judge expiry
   */
  public void keep(byte[] begin, byte[] end, long sequence, long nowMillis) {
    Range.Seen seen = new Range.Seen(end, sequence, nowMillis);
    Range[] all = ranges.get();
    int place = floor(all, begin, 0, begin.length);
    Range before = place < 0 ? null : all[place];
    if (before == null || !before.confirmed || before.since > sequence || !before.touches(begin)) {
      Range fresh = install(begin, end, sequence);
      if (fresh != null) {
        fresh.seen = seen;
      }
      return;
    }
    Range range = before.isWatchedUpTo(end) ? before : install(before.begin, end, sequence);
    if (range != null) {
      range.seen = before.seen.extended(end, seen);
    }
  }

  /**
   * Replaces all ranges that begin in {@code [begin, end]} by one empty range.
   *
   * @return the range; null if a value was added that the cursor does not see, or another thread
   *     was faster
   */
  private Range install(byte[] begin, byte[] end, long sequence) {
    Range[] before = ranges.get();
    if (lastAdded() > sequence) {
      return null;
    }
    Range range = new Range(begin, sequence);
    List<Range> after = new ArrayList<>(before.length + 1);
    int below = 0;
    while (below < before.length && Arrays.compareUnsigned(before[below].begin, begin) < 0) {
      after.add(before[below++]);
    }
    after.add(range);
    int above = below;
    while (above < before.length && (end == null || isUpTo(before[above].begin, end))) {
      above++;
    }
    for (int i = above; i < before.length; i++) {
      after.add(before[i]);
    }
    // From now on this range is watched in place of the one before it, and up to the next one.
    if (below > 0) {
      before[below - 1].cut(begin, 0, begin.length);
    }
    if (above < before.length) {
      range.cut(before[above].begin, 0, before[above].begin.length);
    }
    if (after.size() > MAX_RANGES) {
      after.remove(after.get(0) == range ? 1 : 0);
    }
    if (!ranges.compareAndSet(before, after.toArray(NONE))) {
      return null;
    }
    if (lastAdded() > sequence) {
      remove(range);
      return null;
    }
    range.confirmed = true;
    return range;
  }

  /**
   * Returns the sequence number of the newest value that the writer may not have checked against
   * the ranges.
   */
  private long lastAdded() {
    Memtable active = memtables.active();
    // Reads the count, which the writer updates after the number, to make the number visible.
    return active != null && active.entries() < 0 ? Long.MAX_VALUE : lastAdded.getOpaque();
  }

  private void remove(Range range) {
    ranges.updateAndGet(
        all -> Arrays.stream(all).filter(one -> one != range).toArray(Range[]::new));
  }
}
