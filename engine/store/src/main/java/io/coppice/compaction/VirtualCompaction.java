// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.table.KeyWindow;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableEstimates;
import io.coppice.version.EditOp;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Virtual compaction: the computation of the segments that a delay makes of its slices
 * (dCompaction, section 3.1).
 *
 * <ol>
 *   <li>The slices form a list: newest run first, in a run by ascending key, in a segment newest
 *       first. Wherever two of them overlap, this is the age order.
 *   <li>Slices of one table with adjacent windows become one. It takes the position of the first,
 *       or else of the second, provided that the slice that moves passes no slice that it overlaps.
 *   <li>Keys from the table indexes, weighted by the bytes between them, give the quantiles that
 *       cut the list.
 *   <li>Each segment lists the slices that reach into it, clipped to it, in the order of the list.
 * </ol>
 */
final class VirtualCompaction {

  /** Number of index samples per segment: enough for segment bytes that differ by a few percent. */
  private static final int SAMPLES = 64;

  /** Largest useful distance between samples, in bytes of the table. */
  private static final long MAX_SAMPLE_BYTES = 64 << 10;

  /** A key of a table index, with the bytes of its slice since the previous sample. */
  private record Sample(byte[] key, long bytes) {}

  private VirtualCompaction() {}

  /** Returns the chosen slices of a version, in age order. */
  static List<Slice> line(Version version, Set<Long> ids) {
    List<Slice> line = new ArrayList<>();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          for (Slice slice : segment.slices()) {
            if (ids.contains(slice.id())) {
              line.add(slice);
            }
          }
        }
      }
    }
    return line;
  }

  /**
   * Returns the list with slices of one table united if their windows are adjacent. The given list
   * is unchanged.
   */
  static List<Slice> united(List<Slice> line) {
    List<Slice> united = new ArrayList<>();
    for (Slice later : line) {
      int at = united.size() - 1;
      while (at >= 0 && !neighbours(united.get(at), later)) {
        at--;
      }
      if (at < 0) {
        united.add(later);
        continue;
      }
      Slice earlier = united.get(at);
      List<Slice> between = united.subList(at + 1, united.size());
      if (between.stream().noneMatch(later::overlaps)) {
        united.set(at, union(earlier, later));
      } else if (between.stream().noneMatch(earlier::overlaps)) {
        united.remove(at);
        united.add(union(earlier, later));
      } else {
        united.add(later);
      }
    }
    return united;
  }

  private static boolean neighbours(Slice a, Slice b) {
    return a.table().number() == b.table().number() && (a.touches(b) || b.touches(a));
  }

  private static Slice union(Slice a, Slice b) {
    Slice lower = a.touches(b) ? a : b;
    Slice upper = lower == a ? b : a;
    return new Slice(a.id(), a.table(), new KeyWindow(low(lower), high(upper)));
  }

  /**
   * Returns the lower bound of the slice's window, exclusive, or null if it does not cut the table.
   */
  private static byte[] low(Slice slice) {
    return slice.lowExclusive() ? slice.low() : null;
  }

  private static byte[] high(Slice slice) {
    return slice.highCuts() ? slice.high() : null;
  }

  /**
   * Returns up to {@code segments - 1} keys that cut the slices into parts of about equal bytes,
   * ascending. The caller leases a version that names the slices.
   */
  static List<byte[]> cuts(OpenTables tables, List<Slice> slices, int segments) {
    long total = 0;
    for (Slice slice : slices) {
      total += SliceSize.of(tables, slice).bytes();
    }
    long apart = Math.max(1, Math.min(MAX_SAMPLE_BYTES, total / segments / SAMPLES));
    List<Sample> samples = new ArrayList<>();
    byte[] end = slices.get(0).high();
    for (Slice slice : slices) {
      sample(tables, slice, apart, samples);
      end = Arrays.compareUnsigned(slice.high(), end) > 0 ? slice.high() : end;
    }
    samples.sort((a, b) -> Arrays.compareUnsigned(a.key, b.key));
    List<byte[]> cuts = new ArrayList<>();
    long passed = 0;
    for (int i = 0; i < samples.size() && cuts.size() < segments - 1; i++) {
      byte[] key = samples.get(i).key;
      passed += samples.get(i).bytes;
      boolean last = i + 1 == samples.size() || !Arrays.equals(samples.get(i + 1).key, key);
      long due = share(total, cuts.size() + 1, segments);
      if (last && passed >= due && Arrays.compareUnsigned(key, end) < 0) {
        cuts.add(key);
      }
    }
    return cuts;
  }

  private static long share(long total, int parts, int of) {
    return total / of * parts + total % of * parts / of;
  }

  /**
   * Adds samples of a slice to a list. A damaged or unreadable table gives only its last key.
   *
   * @param apart bytes between two samples
   */
  private static void sample(OpenTables tables, Slice slice, long apart, List<Sample> samples) {
    List<Sample> inside = new ArrayList<>();
    try {
      Table table = tables.get(slice.table().number());
      long from = slice.lowExclusive() ? TableEstimates.bytesUpTo(table, slice.low()) : 0;
      for (byte[] key :
          TableEstimates.separators(table, new KeyWindow(low(slice), slice.high()), apart)) {
        long to = TableEstimates.bytesUpTo(table, key);
        inside.add(new Sample(key, to - from));
        from = to;
      }
      long end =
          slice.highCuts() ? TableEstimates.bytesUpTo(table, slice.high()) : slice.table().bytes();
      inside.add(new Sample(slice.high(), end - from));
    } catch (CorruptionException | UncheckedIOException e) {
      inside.clear();
      inside.add(new Sample(slice.high(), SliceSize.of(tables, slice).bytes()));
    }
    samples.addAll(inside);
  }

  /**
   * Returns the slices of each segment: segments by ascending key, their slices in the order of the
   * line. Segments without slices are omitted.
   *
   * @param line slices, newest first wherever they overlap
   * @param cuts last keys of the segments but the last one, ascending, each once
   * @param numbers supplies slice ids
   */
  static List<List<EditOp.Piece>> cut(List<Slice> line, List<byte[]> cuts, LongSupplier numbers) {
    List<List<EditOp.Piece>> segments = new ArrayList<>();
    for (int i = 0; i <= cuts.size(); i++) {
      byte[] low = i == 0 ? null : cuts.get(i - 1);
      byte[] high = i == cuts.size() ? null : cuts.get(i);
      List<EditOp.Piece> pieces = new ArrayList<>();
      for (Slice slice : line) {
        if (reaches(slice, low, high)) {
          KeyWindow window = clipped(slice, low, high);
          pieces.add(new EditOp.Piece(numbers.getAsLong(), slice.table().number(), window));
        }
      }
      if (!pieces.isEmpty()) {
        segments.add(pieces);
      }
    }
    return segments;
  }

  /** Returns whether the slice contains a part of the key range {@code (low, high]}. */
  private static boolean reaches(Slice slice, byte[] low, byte[] high) {
    if (low != null && Arrays.compareUnsigned(slice.high(), low) <= 0) {
      return false;
    }
    int order = high == null ? -1 : Arrays.compareUnsigned(slice.low(), high);
    return order < 0 || (order == 0 && !slice.lowExclusive());
  }

  private static KeyWindow clipped(Slice slice, byte[] low, byte[] high) {
    boolean cutBelow = low != null && Arrays.compareUnsigned(low, slice.low()) >= 0;
    boolean cutAbove = high != null && Arrays.compareUnsigned(high, slice.high()) < 0;
    return new KeyWindow(cutBelow ? low : low(slice), cutAbove ? high : high(slice));
  }
}
