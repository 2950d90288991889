// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import java.util.List;

/**
 * Bytes that the deletions of a shape occupy and hide, estimated. A deletion hides at most the
 * older values below its slice: the number of hidden entries times their mean size, and never more
 * than their bytes. A wrong number in the facts can therefore cause merges, and no loss.
 *
 * <p>Under {@link MergeRule#ADJACENT} older means a later place in the age order. Under {@link
 * MergeRule#FREE} place says nothing of age; deeper levels count as older, and in one level the
 * tables that were written earlier. Used by one thread.
 */
public final class HiddenBytes {

  private static final long[] NOTHING = {};

  /** Size of a value over that of a deletion, where a table holds both. */
  private static final int VALUE_TO_DELETION = 4;

  private final PlanningView view;
  private final boolean loose;

  /** Hidden bytes by run and segment; empty for a run without deletions. */
  private final long[][] hidden;

  /** The same, with the deletions' own bytes. */
  private final long[][] removable;

  private final long[] hiddenOfRun;
  private long total;

  // What lies below the present slice.
  private int slicesBelow;
  private double valueBytesBelow;
  private double valuesBelow;

  HiddenBytes(PlanningView view) {
    this(view, false);
  }

  private HiddenBytes(PlanningView view, boolean loose) {
    this.view = view;
    this.loose = loose;
    List<PlanningView.PlacedRun> runs = view.runs();
    hidden = new long[runs.size()][];
    removable = new long[runs.size()][];
    hiddenOfRun = new long[runs.size()];
    for (PlanningView.PlacedRun run : runs) {
      int place = run.ageIndex();
      hidden[place] = NOTHING;
      removable[place] = NOTHING;
      if (run.facts().hides()) {
        weigh(run);
      }
    }
  }

  /**
   * Returns the bytes of whole tables whose levels delays have mixed: a deletion may have passed
   * older data of a shallower level. Tables written earlier therefore count as older in any level.
   */
  public static HiddenBytes ofMixedLevels(PlanningView view) {
    return new HiddenBytes(view, true);
  }

  private void weigh(PlanningView.PlacedRun run) {
    RunFacts facts = run.facts();
    int size = facts.segments().size();
    long[] hides = new long[size];
    long[] removes = new long[size];
    for (int i = 0; i < size; i++) {
      if (!facts.hides(i)) {
        continue;
      }
      List<SliceFacts> slices = facts.segments().get(i).slices();
      for (int depth = 0; depth < slices.size(); depth++) {
        SliceFacts slice = slices.get(depth);
        if (slice.hidden() > 0) {
          below(run, slices, depth);
          long behind = behind(slice.hidden());
          hides[i] += behind;
          removes[i] += behind + (slicesBelow > 0 ? (long) own(slice) : 0);
        }
      }
      hiddenOfRun[run.ageIndex()] += hides[i];
      total += removes[i];
    }
    hidden[run.ageIndex()] = hides;
    removable[run.ageIndex()] = removes;
  }

  private long behind(long entries) {
    return valuesBelow == 0
        ? 0
        : (long) Math.min(valueBytesBelow, entries * valueBytesBelow / valuesBelow);
  }

  /** Returns the bytes of a slice's deletions. */
  private static double own(SliceFacts slice) {
    double values = (double) VALUE_TO_DELETION * values(slice);
    return slice.tombstones() == 0
        ? 0
        : slice.bytes() * (slice.tombstones() / (values + slice.tombstones()));
  }

  /** Sums the older data below a slice. */
  private void below(PlanningView.PlacedRun run, List<SliceFacts> segment, int depth) {
    slicesBelow = 0;
    valueBytesBelow = 0;
    valuesBelow = 0;
    SliceFacts slice = segment.get(depth);
    for (SliceFacts older : segment.subList(depth + 1, segment.size())) {
      if (older.overlaps(slice)) {
        add(older);
      }
    }
    for (PlanningView.PlacedRun other : view.runs()) {
      boolean same = other.level() == run.level() || loose && other.level() < run.level();
      boolean byTable = !view.adjacent() && same && other != run;
      if (byTable || other.ageIndex() > run.ageIndex()) {
        for (SegmentFacts segmentBelow : other.facts().overlapping(slice.low(), slice.high())) {
          for (SliceFacts older : segmentBelow.slices()) {
            if (!byTable || older.table() < slice.table()) {
              add(older);
            }
          }
        }
      }
    }
  }

  private void add(SliceFacts older) {
    slicesBelow++;
    valueBytesBelow += older.bytes() - own(older);
    valuesBelow += values(older);
  }

  /** Returns the entries with a value; a host may count more tombstones than entries. */
  private static long values(SliceFacts slice) {
    return Math.max(0, slice.entries() - slice.tombstones());
  }

  /** Returns whether nothing older lies below a slice. */
  public boolean isLowest(PlacedSlice slice) {
    PlanningView.PlacedRun run = view.runs().get(slice.run());
    SegmentFacts segment = run.facts().overlapping(slice.low(), slice.low()).get(0);
    below(run, segment.slices(), slice.depth());
    return slicesBelow == 0;
  }

  /** Returns the bytes that deletions occupy and hide in all runs. */
  public long total() {
    return total;
  }

  /** Returns the bytes that the deletions of a run hide. */
  public long of(PlanningView.PlacedRun run) {
    return hiddenOfRun[run.ageIndex()];
  }

  /** Returns the bytes that the deletions of runs hide. */
  public long of(List<PlanningView.PlacedRun> runs) {
    long bytes = 0;
    for (PlanningView.PlacedRun run : runs) {
      bytes += of(run);
    }
    return bytes;
  }

  /** Returns the bytes that the deletions of a segment hide. */
  public long of(PlanningView.PlacedRun run, int segment) {
    long[] segments = hidden[run.ageIndex()];
    return segments.length == 0 ? 0 : segments[segment];
  }

  /** Returns the bytes that the deletions of a segment occupy and hide. */
  public long removable(PlanningView.PlacedRun run, int segment) {
    long[] segments = removable[run.ageIndex()];
    return segments.length == 0 ? 0 : segments[segment];
  }
}
