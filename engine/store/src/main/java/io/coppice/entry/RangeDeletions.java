// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;
import io.coppice.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Range deletions as fragments: ranges {@code [from, to)} that do not overlap, by ascending key,
 * each with the sequence numbers of all deletions that cover it, newest first. A lookup is one
 * binary search, and a window is a part of the array.
 *
 * <pre>
 * deletions   5: [a, m)   8: [g, z)
 * fragments   [a, g) 5    [g, m) 8 5    [m, z) 8
 * </pre>
 *
 * <p>Immutable; returned arrays are shared, and callers must not write to them. Safe to share
 * between threads.
 */
public final class RangeDeletions {

  /** Empty set of range deletions. */
  public static final RangeDeletions NONE = new RangeDeletions(List.of());

  private final Fragment[] fragments;

  /**
   * Range of keys that the same deletions cover.
   *
   * @param from inclusive
   * @param to exclusive, above {@code from}
   * @param sequences sequence numbers of the deletions, descending, never empty
   */
  public record Fragment(byte[] from, byte[] to, long[] sequences) {

    /**
     * Returns the sequence number of the newest deletion up to the given number, inclusive; -1 if
     * there is none.
     */
    public long newest(long sequence) {
      for (long candidate : sequences) {
        if (candidate <= sequence) {
          return candidate;
        }
      }
      return -1;
    }

    /** Returns the sequence number of the newest deletion. */
    public long newest() {
      return sequences[0];
    }

    /** Returns the sequence number of the oldest deletion. */
    public long oldest() {
      return sequences[sequences.length - 1];
    }

    /** Returns whether the fragment covers the key. */
    public boolean covers(byte[] key, int offset, int length) {
      return isInside(from, to, key, offset, length);
    }

    /**
     * Returns a part of the fragment with all but its oldest deletion, or null if that was the only
     * one.
     *
     * @param newFrom inclusive
     * @param newTo exclusive
     */
    Fragment withoutOldest(byte[] newFrom, byte[] newTo) {
      return sequences.length == 1 || Bytes.compare(newFrom, newTo) >= 0
          ? null
          : new Fragment(newFrom, newTo, Arrays.copyOf(sequences, sequences.length - 1));
    }

    private Fragment with(byte[] newFrom, byte[] newTo) {
      return new Fragment(newFrom, newTo, sequences);
    }
  }

  private RangeDeletions(List<Fragment> fragments) {
    this.fragments = fragments.toArray(Fragment[]::new);
    assert ordered() : "fragments overlap";
  }

  private boolean ordered() {
    for (int i = 0; i < fragments.length; i++) {
      if (Bytes.compare(fragments[i].from, fragments[i].to) >= 0
          || (i > 0 && Bytes.compare(fragments[i - 1].to, fragments[i].from) > 0)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the deletion of one range {@code [from, to)}; the arrays are shared. */
  public static RangeDeletions of(byte[] from, byte[] to, long sequence) {
    return new RangeDeletions(List.of(new Fragment(from, to, new long[] {sequence})));
  }

  /** Returns the range deletions of fragments that are in ascending order and do not overlap. */
  public static RangeDeletions ofOrdered(List<Fragment> fragments) {
    return fragments.isEmpty() ? NONE : new RangeDeletions(fragments);
  }

  /**
   * Returns the union of range deletions whose fragments may overlap. Adjacent pieces of a deletion
   * become one again.
   */
  public static RangeDeletions union(Collection<RangeDeletions> parts) {
    List<Fragment> all = new ArrayList<>();
    for (RangeDeletions part : parts) {
      all.addAll(Arrays.asList(part.fragments));
    }
    if (all.isEmpty()) {
      return NONE;
    }
    all.sort((a, b) -> Bytes.compare(a.from, b.from));
    return new RangeDeletions(sweep(all));
  }

  /**
   * Splits fragments wherever one of them begins or ends, so that the results do not overlap.
   *
   * @param sorted by ascending begin
   */
  private static List<Fragment> sweep(List<Fragment> sorted) {
    byte[][] bounds = new byte[2 * sorted.size()][];
    for (int i = 0; i < sorted.size(); i++) {
      bounds[2 * i] = sorted.get(i).from;
      bounds[2 * i + 1] = sorted.get(i).to;
    }
    Arrays.sort(bounds, Bytes.ORDER);
    List<Fragment> cut = new ArrayList<>();
    List<Fragment> active = new ArrayList<>();
    int next = 0;
    for (int i = 0; i + 1 < bounds.length; i++) {
      byte[] from = bounds[i];
      if (Bytes.compare(from, bounds[i + 1]) == 0) {
        continue;
      }
      active.removeIf(fragment -> Bytes.compare(fragment.to, from) <= 0);
      while (next < sorted.size() && Bytes.compare(sorted.get(next).from, from) <= 0) {
        active.add(sorted.get(next++));
      }
      if (!active.isEmpty()) {
        append(cut, new Fragment(from, bounds[i + 1], sequences(active)));
      }
    }
    return cut;
  }

  private static long[] sequences(List<Fragment> fragments) {
    if (fragments.size() == 1) {
      return fragments.get(0).sequences;
    }
    int count = 0;
    for (Fragment fragment : fragments) {
      count += fragment.sequences.length;
    }
    long[] all = new long[count];
    int at = 0;
    for (Fragment fragment : fragments) {
      for (long sequence : fragment.sequences) {
        all[at++] = -sequence;
      }
    }
    Arrays.sort(all);
    int distinct = 0;
    for (long negative : all) {
      if (distinct == 0 || all[distinct - 1] != -negative) {
        all[distinct++] = -negative;
      }
    }
    return Arrays.copyOf(all, distinct);
  }

  /**
   * Appends a fragment, or extends the last one if the two are adjacent with the same deletions.
   * Null adds nothing.
   */
  static void append(List<Fragment> fragments, Fragment next) {
    if (next == null) {
      return;
    }
    int last = fragments.size() - 1;
    if (last >= 0
        && Arrays.equals(fragments.get(last).to, next.from)
        && Arrays.equals(fragments.get(last).sequences, next.sequences)) {
      fragments.set(last, fragments.get(last).with(fragments.get(last).from, next.to));
    } else {
      fragments.add(next);
    }
  }

  /** Returns whether there is no deletion. */
  public boolean isEmpty() {
    return fragments.length == 0;
  }

  /** Returns the number of fragments. */
  public int size() {
    return fragments.length;
  }

  /** Returns a fragment by its index, from 0 by ascending key. */
  public Fragment fragment(int index) {
    return fragments[index];
  }

  /**
   * Returns the number of sequence numbers in all fragments; a deletion counts once per fragment.
   */
  public long count() {
    long count = 0;
    for (Fragment fragment : fragments) {
      count += fragment.sequences.length;
    }
    return count;
  }

  /** Returns the first covered key. Requires a fragment. */
  public byte[] smallestKey() {
    return fragments[0].from;
  }

  /**
   * Returns the largest covered key, or the end of the last fragment if there is no largest key
   * below it. Requires a fragment.
   */
  public byte[] largestKey() {
    byte[] end = fragments[fragments.length - 1].to;
    int last = end.length - 1;
    return end[last] == 0 ? Arrays.copyOf(end, last) : end;
  }

  /** Returns the next possible key after a key, or null if that is the largest possible one. */
  public static byte[] successor(byte[] key) {
    if (key.length < Limits.MAX_KEY_BYTES) {
      return Arrays.copyOf(key, key.length + 1);
    }
    int last = key.length - 1;
    while (last >= 0 && key[last] == (byte) 0xFF) {
      last--;
    }
    if (last < 0) {
      return null;
    }
    byte[] next = Arrays.copyOf(key, last + 1);
    next[last]++;
    return next;
  }

  /**
   * Returns the index of the first fragment that ends above the key, or the number of fragments.
   */
  public int ceiling(byte[] key, int offset, int length) {
    int low = 0;
    int high = fragments.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isAtOrBelow(fragments[middle].to, key, offset, length)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns the sequence number of the newest deletion of a key up to {@code sequence}, inclusive;
   * -1 if there is none.
   */
  public long newestCovering(byte[] key, int offset, int length, long sequence) {
    int index = ceiling(key, offset, length);
    return index < fragments.length && isAtOrBelow(fragments[index].from, key, offset, length)
        ? fragments[index].newest(sequence)
        : -1;
  }

  /** Returns whether the key is in {@code [from, to)}. */
  public static boolean isInside(byte[] from, byte[] to, byte[] key, int offset, int length) {
    return isAtOrBelow(from, key, offset, length) && !isAtOrBelow(to, key, offset, length);
  }

  static boolean isAtOrBelow(byte[] bound, byte[] key, int offset, int length) {
    return Arrays.compareUnsigned(bound, 0, bound.length, key, offset, offset + length) <= 0;
  }

  /**
   * Returns the parts of the fragments inside a window of keys.
   *
   * @param low exclusive; null for no bound
   * @param high inclusive; null for no bound
   */
  public RangeDeletions clip(byte[] low, byte[] high) {
    if (isEmpty() || (low == null && high == null)) {
      return this;
    }
    byte[] from = low == null ? null : successor(low);
    byte[] to = high == null ? null : successor(high);
    if (low != null && from == null) {
      return NONE;
    }
    int first = low == null ? 0 : ceiling(from, 0, from.length);
    List<Fragment> part = new ArrayList<>();
    for (int i = first; i < fragments.length; i++) {
      Fragment fragment = fragments[i];
      if (to != null && Bytes.compare(fragment.from, to) >= 0) {
        break;
      }
      boolean cutBelow = from != null && Bytes.compare(fragment.from, from) < 0;
      boolean cutAbove = to != null && Bytes.compare(fragment.to, to) > 0;
      part.add(
          cutBelow || cutAbove
              ? fragment.with(cutBelow ? from : fragment.from, cutAbove ? to : fragment.to)
              : fragment);
    }
    return ofOrdered(part);
  }

  /**
   * Returns the part of each fragment that some reader needs: the newest deletion of each stripe.
   */
  public RangeDeletions needed(SnapshotStripes stripes) {
    List<Fragment> needed = new ArrayList<>();
    for (Fragment fragment : fragments) {
      long[] sequences = fragment.sequences;
      long[] left = new long[sequences.length];
      int count = 0;
      int last = -1;
      for (long sequence : sequences) {
        int stripe = stripes.of(sequence);
        if (stripe != last) {
          left[count++] = sequence;
          last = stripe;
        }
      }
      append(
          needed,
          new Fragment(
              fragment.from,
              fragment.to,
              count == sequences.length ? sequences : Arrays.copyOf(left, count)));
    }
    return ofOrdered(needed);
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof RangeDeletions that) || fragments.length != that.fragments.length) {
      return false;
    }
    for (int i = 0; i < fragments.length; i++) {
      if (!Arrays.equals(fragments[i].from, that.fragments[i].from)
          || !Arrays.equals(fragments[i].to, that.fragments[i].to)
          || !Arrays.equals(fragments[i].sequences, that.fragments[i].sequences)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    return fragments.length;
  }

  @Override
  public String toString() {
    return fragments.length + " fragments";
  }
}
