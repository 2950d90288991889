// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * A key range of a run and the slices that hold it, newest first. One slice is a real table;
 * several are a virtual one (dCompaction, section 3.1: the list of parent SSTables).
 *
 * @param slices newest first, never empty
 */
public record SegmentFacts(List<TableFacts> slices) {

  /** Copies the list. */
  public SegmentFacts {
    slices = List.copyOf(slices);
    if (slices.isEmpty()) {
      throw new IllegalArgumentException("a segment needs at least one slice");
    }
  }

  /** A segment of one slice, that is, a real table. */
  public static SegmentFacts of(TableFacts slice) {
    return new SegmentFacts(List.of(slice));
  }

  /** The smallest rank of its slices, inclusive. */
  public int low() {
    int low = Integer.MAX_VALUE;
    for (TableFacts slice : slices) {
      low = Math.min(low, slice.low());
    }
    return low;
  }

  /** The largest rank of its slices, inclusive. */
  public int high() {
    int high = Integer.MIN_VALUE;
    for (TableFacts slice : slices) {
      high = Math.max(high, slice.high());
    }
    return high;
  }

  /** Bytes of its slices. */
  public long bytes() {
    long bytes = 0;
    for (TableFacts slice : slices) {
      bytes += slice.bytes();
    }
    return bytes;
  }
}
