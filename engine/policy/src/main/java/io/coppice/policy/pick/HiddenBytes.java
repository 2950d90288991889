// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import java.util.List;

/**
 * Estimated bytes that the deletions of a shape occupy and hide. A deletion hides at most the older
 * values below its slice: the number of hidden entries times their mean size, and never more than
 * their bytes. A wrong number in the facts can therefore cause unneeded merges, but no loss of
 * data.
 *
 * <p>Under {@link MergeRule#ADJACENT}, data later in the age order is older. Under {@link
 * MergeRule#FREE} the order of runs does not show age; deeper levels count as older, and inside one
 * level the tables that were written earlier. Used by one thread.
 */
public final class HiddenBytes {

  private static final long[] NOTHING = {};

  /**
   * Assumed size of an entry with a value, divided by the size of a deletion, in a table that holds
   * both.
   */
  private static final int VALUE_TO_DELETION = 4;

  private final PlanningView view;
  private final boolean mixedLevels;

  /** Hidden bytes by run and segment; an empty row for a run without deletions. */
  private final long[][] hidden;

  /** Hidden bytes plus the deletions' own bytes, by run and segment. */
  private final long[][] removable;

  private final long[] hiddenOfRun;
  private long total;

  // The slices below the present one: their number, and the bytes and number of their values.
  private int slicesBelow;
  private double valueBytesBelow;
  private double valuesBelow;

  HiddenBytes(PlanningView view) {
    this(view, false);
  }

  private HiddenBytes(PlanningView view, boolean mixedLevels) {
    this.view = view;
    this.mixedLevels = mixedLevels;
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
   * Returns the hidden bytes of a shape whose delays put whole tables into deeper levels. A
   * deletion there may have passed older data of a shallower level. Tables written earlier
   * therefore count as older in any level.
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

  /** Returns the bytes that a slice's deletions occupy. */
  private static double own(SliceFacts slice) {
    double values = (double) VALUE_TO_DELETION * values(slice);
    return slice.tombstones() == 0
        ? 0
        : slice.bytes() * (slice.tombstones() / (values + slice.tombstones()));
  }

  /**
   * Sums up the older data that overlaps a slice.
   *
   * @param depth position of the slice in its segment, 0 newest
   */
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
      boolean same = other.level() == run.level() || mixedLevels && other.level() < run.level();
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

  /**
   * Returns the number of entries with a value, at least 0; a host may count more tombstones than
   * entries.
   */
  private static long values(SliceFacts slice) {
    return Math.max(0, slice.entries() - slice.tombstones());
  }

  /** Returns whether no older slice overlaps the given one. */
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

  /**
   * Returns the bytes that the deletions of a segment hide.
   *
   * @param segment index of the segment in the run
   */
  public long of(PlanningView.PlacedRun run, int segment) {
    long[] segments = hidden[run.ageIndex()];
    return segments.length == 0 ? 0 : segments[segment];
  }

  /**
   * Returns the bytes that the deletions of a segment occupy and hide.
   *
   * @param segment index of the segment in the run
   */
  public long removable(PlanningView.PlacedRun run, int segment) {
    long[] segments = removable[run.ageIndex()];
    return segments.length == 0 ? 0 : segments[segment];
  }
}
