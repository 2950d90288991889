// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.context;

import io.coppice.entry.EntryCompactor;
import io.coppice.entry.RangeDeletions;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Key ranges that may contain data older than a merge's inputs. A merge must keep tombstones inside
 * them, because they may hide such data. Callers ask by ascending key, so one pass over the ranges
 * serves a whole merge.
 *
 * <p>Only slices outside the merge count, from the run of its newest input on. Other plans can only
 * shrink these ranges during the merge. Used by one thread.
 */
public final class OlderDataRanges implements EntryCompactor.OlderData {

  /** Lower bounds of the ranges, inclusive, ascending; the ranges are disjoint. */
  private final List<byte[]> lows = new ArrayList<>();

  private final List<byte[]> highs = new ArrayList<>();

  /** First range that may contain the next key of {@link #mayContain}. */
  private int next;

  private OlderDataRanges(List<Slice> slices) {
    slices.sort((a, b) -> Arrays.compareUnsigned(low(a), low(b)));
    for (Slice slice : slices) {
      int last = highs.size() - 1;
      byte[] low = low(slice);
      if (last >= 0 && Arrays.compareUnsigned(low, highs.get(last)) <= 0) {
        if (Arrays.compareUnsigned(slice.high(), highs.get(last)) > 0) {
          highs.set(last, slice.high());
        }
      } else {
        lows.add(low);
        highs.add(slice.high());
      }
    }
  }

  /** Returns the lowest key that a slice may show. */
  private static byte[] low(Slice slice) {
    byte[] next = slice.lowExclusive() ? RangeDeletions.successor(slice.low()) : null;
    return next == null ? slice.low() : next;
  }

  /**
   * Returns the key ranges where slices outside the merge may hold older data.
   *
   * @param inputs ids of the merge's slices
   */
  public static OlderDataRanges below(Version version, Set<Long> inputs) {
    List<Slice> older = new ArrayList<>();
    boolean reached = false;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          for (Slice slice : segment.slices()) {
            reached |= inputs.contains(slice.id());
          }
        }
        if (!reached) {
          continue;
        }
        for (Segment segment : run.segments()) {
          for (Slice slice : segment.slices()) {
            if (!inputs.contains(slice.id())) {
              older.add(slice);
            }
          }
        }
      }
    }
    return new OlderDataRanges(older);
  }

  /** Returns whether older data may contain a key between the bounds, both inclusive. */
  public boolean mayContainAny(byte[] low, byte[] high) {
    int first = firstEndingAtOrAbove(low);
    return first < lows.size() && Arrays.compareUnsigned(lows.get(first), high) <= 0;
  }

  @Override
  public boolean mayContain(byte[] key, int offset, int length) {
    while (next < highs.size() && compare(highs.get(next), key, offset, length) < 0) {
      next++;
    }
    return next < lows.size() && compare(lows.get(next), key, offset, length) <= 0;
  }

  @Override
  public List<Fragment> under(Fragment fragment) {
    List<Fragment> parts = new ArrayList<>();
    for (int i = firstEndingAtOrAbove(fragment.from()); i < lows.size(); i++) {
      byte[] low = lows.get(i);
      if (Arrays.compareUnsigned(low, fragment.to()) >= 0) {
        break;
      }
      byte[] end = RangeDeletions.successor(highs.get(i));
      boolean cutBelow = Arrays.compareUnsigned(low, fragment.from()) > 0;
      boolean cutAbove = end != null && Arrays.compareUnsigned(end, fragment.to()) < 0;
      parts.add(
          new Fragment(
              cutBelow ? low : fragment.from(),
              cutAbove ? end : fragment.to(),
              fragment.sequences()));
    }
    return parts;
  }

  private int firstEndingAtOrAbove(byte[] key) {
    int from = 0;
    int to = highs.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (Arrays.compareUnsigned(highs.get(middle), key) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private static int compare(byte[] bound, byte[] key, int offset, int length) {
    return Arrays.compareUnsigned(bound, 0, bound.length, key, offset, offset + length);
  }
}
