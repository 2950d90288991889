// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.entry.EntrySieve;
import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The key ranges in which data older than a merge's inputs may lie. A deletion inside them must be
 * kept. Asked by ascending key, so one pass over the ranges serves a whole merge.
 *
 * <p>Only slices that stay behind count, from the newest input's run on; what other plans do
 * meanwhile can only shrink these ranges.
 */
final class OlderKeys implements EntrySieve.OlderData {

  private final List<Slice> slices;
  private int next;
  private byte[] coveredTo;

  private OlderKeys(List<Slice> slices) {
    this.slices = slices;
  }

  /** Collects the ranges for a merge of these slices. */
  static OlderKeys below(Version version, Set<Long> inputs) {
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
    older.sort((a, b) -> Arrays.compareUnsigned(a.low(), b.low()));
    return new OlderKeys(older);
  }

  @Override
  public boolean mayContain(byte[] key, int offset, int length) {
    while (next < slices.size() && compare(slices.get(next).low(), key, offset, length) <= 0) {
      byte[] high = slices.get(next).high();
      if (coveredTo == null || Arrays.compareUnsigned(high, coveredTo) > 0) {
        coveredTo = high;
      }
      next++;
    }
    return coveredTo != null && compare(coveredTo, key, offset, length) >= 0;
  }

  private static int compare(byte[] bound, byte[] key, int offset, int length) {
    return Arrays.compareUnsigned(bound, 0, bound.length, key, offset, offset + length);
  }
}
