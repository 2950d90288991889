// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Key ranges of a family in which a cursor found only deleted keys. Later cursors jump over them:
 * one that begins at the head of a queue need not pass every key that was ever taken from it. Safe
 * to share between threads; cursors and the writer take no lock.
 *
 * <p>A range is a fact about keys and sequence numbers, so flushes and merges leave it valid. Only
 * a value that is written into it ends it. The writer therefore checks each value against the
 * ranges that are watched, and a range ends at the smallest key that was written into it since its
 * watch began.
 *
 * <p>A watch begins between two writes of values. The cursor publishes the range, then checks that
 * the writer has added no value after the cursor's sequence number. The writer sets that number,
 * adds to the volatile count of entries, and then reads the ranges. Either the writer sees the
 * range, or the cursor sees the number.
 */
public final class EmptyRanges {

  /**
   * Most ranges that are kept: one for each queue in a family. The writer searches them by
   * bisection.
   */
  private static final int MOST_RANGES = 64;

  private static final Range[] NONE = {};

  private final Memtables memtables;

  /** The ranges by ascending begin. Each ends at the begin of the next at the latest. */
  private final AtomicReference<Range[]> ranges = new AtomicReference<>(NONE);

  /** Sequence number of the newest value, -1 before the first. Written by the one writer. */
  private final AtomicLong lastAdded = new AtomicLong(-1);

  EmptyRanges(Memtables memtables) {
    this.memtables = memtables;
  }

  /** A range of keys from its begin, inclusive. */
  private static final class Range {

    /**
     * What is known.
     *
     * @param end exclusive; null if no key follows
     * @param sequence at which it was seen
     * @param nowMillis at which it was seen, as values end
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
     * True once it is certain that the writer checks values against the range. Until then the
     * writer may have added a value without seeing the range.
     */
    private volatile boolean confirmed;

    private Range(byte[] begin, long since) {
      this.begin = begin;
      this.since = since;
      this.seen = new Seen(begin, since, Long.MIN_VALUE);
    }

    /** The end, exclusive; null if no key follows. */
    private byte[] end(Seen what) {
      byte[] added = smallestAdded.get();
      return added == null || isUpTo(what.end, added) ? what.end : added;
    }

    /** True if it reaches up to a key at or behind its begin. */
    private boolean touches(byte[] key) {
      byte[] end = end(seen);
      return end == null || Arrays.compareUnsigned(end, key) >= 0;
    }

    /** Ends it in front of a key. */
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

    /** Copies a key. Without heap the range ends at its begin, since the write must not fail. */
    private byte[] copyOrBegin(byte[] key, int offset, int length) {
      try {
        return Bytes.copy(key, offset, length);
      } catch (OutOfMemoryError e) {
        return begin;
      }
    }

    /** True if the watch has met no key below an end. */
    private boolean isWatchedUpTo(byte[] end) {
      byte[] added = smallestAdded.get();
      return added == null || isUpTo(end, added);
    }
  }

  /** True if an end is at or before a key; null stands behind all keys. */
  private static boolean isUpTo(byte[] end, byte[] key) {
    return end != null && Arrays.compareUnsigned(end, key) <= 0;
  }

  /** The writer is about to count a value that it has added. */
  void adding(long sequence) {
    lastAdded.setOpaque(sequence);
  }

  /** The writer has counted a value that it has added. */
  void added(byte[] key, int offset, int length) {
    Range[] all = ranges.get();
    int place = all.length == 0 ? -1 : floor(all, key, offset, length);
    if (place >= 0) {
      all[place].cut(key, offset, length);
    }
  }

  /** The last range that begins at or before a key; -1 if none does. */
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
   * A range in which a cursor sees no value.
   *
   * @param begin inclusive; shared
   * @param end exclusive, null if no key follows; shared
   */
  public record Found(byte[] begin, byte[] end) {}

  /**
   * Returns the range that a key lies in, as a cursor sees it; null if there is none.
   *
   * @param sequence the newest sequence number that the cursor sees
   * @param nowMillis by which values end for the cursor
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
   * Begins to watch from a key on, so that the range can be kept once its end is known. Does
   * nothing if a value was added since.
   *
   * @param begin handed over
   * @param sequence the newest sequence number that the cursor sees
   */
  public void watch(byte[] begin, long sequence) {
    install(begin, begin, sequence);
  }

  /**
   * Records that a cursor has seen no value in a range. Has no effect if values were added that the
   * cursor does not see.
   *
   * @param begin inclusive; handed over
   * @param end exclusive, null if no key follows; handed over
   * @param sequence the newest sequence number that the cursor sees
   * @param nowMillis by which values end for the cursor
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
   * Puts a range without a key in place of all that begin in {@code [begin, end]}.
   *
   * @return null if a value was added that the cursor does not see, or another thread was quicker
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
    // From now on the range is watched in place of the one before it, and up to the next one.
    if (below > 0) {
      before[below - 1].cut(begin, 0, begin.length);
    }
    if (above < before.length) {
      range.cut(before[above].begin, 0, before[above].begin.length);
    }
    if (after.size() > MOST_RANGES) {
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

  /** The number of the newest value of which the writer may not have seen the ranges. */
  private long lastAdded() {
    Memtable active = memtables.active();
    // Reads what the writer writes after the number.
    return active != null && active.entries() < 0 ? Long.MAX_VALUE : lastAdded.getOpaque();
  }

  private void remove(Range range) {
    ranges.updateAndGet(
        all -> Arrays.stream(all).filter(one -> one != range).toArray(Range[]::new));
  }
}
