// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Target;
import io.coppice.policy.Thousandths;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.DeletionPicker;
import io.coppice.policy.pick.HiddenBytes;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * Overlap picker: merges where delays let too many whole tables overlap, over all levels together.
 * A read may check every table that overlaps its key, in any level, and most data over the largest
 * run hides something in it. Level targets bound neither. Coppice's own addition, used under {@link
 * MergeRule#FREE}.
 */
final class OverlapPicker {

  private final PlanningView view;
  private final MergeLimits limits;

  OverlapPicker(PlanningView view, MergeLimits limits) {
    this.view = view;
    this.limits = limits;
  }

  /**
   * Returns merges until the overlap depth is within the bound. At the key with the largest depth
   * it merges, in place, the tables of the level with the most tables there. Tables of similar
   * width are then merged with each other, which is cheap, and lower levels take part only once
   * they are deep themselves. Level 0 is excluded, because it has its own merge.
   *
   * @param most most tables that may overlap one key
   */
  Stream<CandidatePlan> depthMerges(int most) {
    Depths depths = new Depths(view);
    return Stream.generate(() -> nextTooDeep(depths, most))
        .takeWhile(Optional::isPresent)
        .map(Optional::get);
  }

  private Optional<CandidatePlan> nextTooDeep(Depths depths, int most) {
    int deepest = depths.deepest(most);
    if (deepest < 0) {
      return Optional.empty();
    }
    int tables = depths.total(deepest);
    int level = depths.fullestLevel(deepest);
    int rank = depths.rank(deepest);
    List<PlacedSlice> over = over(level, rank, rank);
    Span span = Span.of(over);
    List<PlacedSlice> merged = new ArrayList<>(over);
    for (PlacedSlice slice : over(level, span.low, span.high)) {
      if (span.contains(slice) && !over.contains(slice)) {
        merged.add(slice);
      }
    }
    depths.merged(level, merged, span);
    Reason reason =
        Reason.ofNumbers(
            "too-deep",
            "{tables} tables lie over one key, {runs} of them in L{level}, vct is {vct}",
            tables,
            over.size(),
            level,
            most);
    return Optional.of(CandidatePlan.merge(view, merged, Target.newest(level), reason, limits));
  }

  /**
   * Returns merges while too many bytes overlap the largest run. Each takes a table, the tables of
   * that run that it overlaps, and all other tables within their range; the smallest overlap ratio
   * comes first. Level 0 is included only if deletions occupy and hide too much.
   *
   * @param maxThousandths bytes that may overlap the largest run, in thousandths of its own bytes;
   *     0 means that only the limit for deletions counts
   * @param minBytes bytes over the largest run that are always allowed
   */
  Stream<CandidatePlan> overlapping(long maxThousandths, long minBytes) {
    Optional<HiddenBytes> hidden =
        DeletionPicker.none(view) ? Optional.empty() : Optional.of(HiddenBytes.ofMixedLevels(view));
    long deleted =
        hidden.map(bytes -> DeletionPicker.excessOfLevels(view, bytes, limits)).orElse(0L);
    int shallowest = deleted > 0 ? 0 : 1;
    Optional<PlanningView.PlacedRun> largest = largest(shallowest);
    if ((maxThousandths == 0 && deleted == 0) || largest.isEmpty()) {
      return Stream.of();
    }
    RunFacts base = largest.get().facts();
    List<ScoredSlice> candidates = candidates(largest.get(), shallowest, hidden);
    long over = candidates.stream().mapToLong(candidate -> candidate.slice.bytes()).sum();
    double share = (double) base.bytes() * maxThousandths / Thousandths.ONE;
    long excess = maxThousandths == 0 ? 0 : over - Math.max(minBytes, (long) share);
    Reason reason =
        excess <= 0 && hidden.isPresent()
            ? DeletionPicker.reason(view, hidden.get())
            : Reason.ofNumbers(
                "overlap", "{over} bytes lie over {base} of the largest run", over, base.bytes());
    excess = Math.max(excess, deleted);
    if (excess <= 0) {
      return Stream.of();
    }
    Map<PlacedSlice, Long> removable = new HashMap<>();
    candidates.forEach(candidate -> removable.put(candidate.slice, candidate.removableBytes));
    candidates.sort(ScoredSlice::compare);
    List<CandidatePlan> found = new ArrayList<>();
    Set<PlacedSlice> taken = new HashSet<>();
    for (ScoredSlice candidate : candidates) {
      if (excess <= 0) {
        break;
      }
      List<PlacedSlice> merged = with(candidate.slice, largest.get(), shallowest);
      if (merged.stream().noneMatch(taken::contains)) {
        taken.addAll(merged);
        for (PlacedSlice slice : merged) {
          excess -= slice.run() == largest.get().ageIndex() ? 0 : slice.bytes();
          excess -= removable.getOrDefault(slice, 0L);
        }
        int level = merged.stream().mapToInt(PlacedSlice::level).max().orElseThrow();
        found.add(CandidatePlan.merge(view, merged, Target.newest(level), reason, limits));
      }
    }
    return found.stream();
  }

  private Optional<PlanningView.PlacedRun> largest(int shallowest) {
    PlanningView.PlacedRun largest = null;
    for (PlanningView.PlacedRun run : view.runs()) {
      if (run.level() >= shallowest
          && (largest == null || run.facts().bytes() > largest.facts().bytes())) {
        largest = run;
      }
    }
    return Optional.ofNullable(largest);
  }

  /**
   * Table that overlaps the largest run.
   *
   * @param metBytes bytes of that run that the table overlaps
   * @param removableBytes bytes that the deletions of the table occupy and hide
   */
  private record ScoredSlice(PlacedSlice slice, long metBytes, long removableBytes) {

    private double ratio() {
      return (double) metBytes / Math.max(1, slice.bytes() + removableBytes);
    }

    int compare(ScoredSlice other) {
      int order = Double.compare(ratio(), other.ratio());
      return order == 0 ? PlacedSlice.OLDEST_FIRST.compare(slice, other.slice) : order;
    }
  }

  private List<ScoredSlice> candidates(
      PlanningView.PlacedRun base, int shallowest, Optional<HiddenBytes> hidden) {
    List<ScoredSlice> candidates = new ArrayList<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      if (run.level() < shallowest || run.ageIndex() == base.ageIndex()) {
        continue;
      }
      List<PlacedSlice> slices = run.slices();
      long[] overlapped = run.facts().overlapBytes(base.facts());
      for (int i = 0; i < overlapped.length; i++) {
        int place = i;
        if (overlapped[i] > 0) {
          long removable = hidden.map(bytes -> bytes.removable(run, place)).orElse(0L);
          candidates.add(new ScoredSlice(slices.get(i), overlapped[i], removable));
        }
      }
    }
    return candidates;
  }

  /**
   * Returns a table, the tables of the largest run that it overlaps, and all other tables inside
   * the range of these.
   *
   * @param shallowest the first level that takes part
   */
  private List<PlacedSlice> with(PlacedSlice slice, PlanningView.PlacedRun base, int shallowest) {
    List<PlacedSlice> merged = new ArrayList<>(base.overlapping(slice.low(), slice.high()));
    merged.add(slice);
    Span span = Span.of(merged);
    for (PlanningView.PlacedRun run : view.runs()) {
      if (run.level() >= shallowest && run.ageIndex() != base.ageIndex()) {
        for (PlacedSlice other : run.overlapping(span.low, span.high)) {
          if (span.contains(other) && !other.equals(slice)) {
            merged.add(other);
          }
        }
      }
    }
    return merged;
  }

  private List<PlacedSlice> over(int level, int low, int high) {
    List<PlacedSlice> over = new ArrayList<>();
    for (PlanningView.PlacedRun run : view.runs(level)) {
      over.addAll(run.overlapping(low, high));
    }
    return over;
  }

  /** A range of ranks, both inclusive. */
  private record Span(int low, int high) {

    static Span of(List<PlacedSlice> slices) {
      return new Span(PlacedSlice.low(slices), PlacedSlice.high(slices));
    }

    boolean contains(PlacedSlice slice) {
      return low <= slice.low() && slice.high() <= high;
    }
  }

  /**
   * Overlap depth of each level at the lowest rank of every table. The largest depth is always at
   * such a rank.
   */
  private static final class Depths {

    private final int[] ranks;
    private final int[][] byLevel;

    Depths(PlanningView view) {
      ranks = distinct(sorted(view.runs(), SegmentFacts::low));
      byLevel = new int[view.levels()][];
      for (int level = 0; level < byLevel.length; level++) {
        List<PlanningView.PlacedRun> runs = view.runs(level);
        byLevel[level] = depths(sorted(runs, SegmentFacts::low), sorted(runs, SegmentFacts::high));
      }
    }

    /** Returns a rank of each table of some runs, in ascending order. */
    private static int[] sorted(
        List<PlanningView.PlacedRun> runs, ToIntFunction<SegmentFacts> rank) {
      int tables = 0;
      for (PlanningView.PlacedRun run : runs) {
        tables += run.facts().segments().size();
      }
      int[] sorted = new int[tables];
      int count = 0;
      for (PlanningView.PlacedRun run : runs) {
        for (SegmentFacts segment : run.facts().segments()) {
          sorted[count++] = rank.applyAsInt(segment);
        }
      }
      Arrays.sort(sorted);
      return sorted;
    }

    private static int[] distinct(int[] sorted) {
      int[] distinct = new int[sorted.length];
      int count = 0;
      for (int rank : sorted) {
        if (count == 0 || distinct[count - 1] != rank) {
          distinct[count++] = rank;
        }
      }
      return Arrays.copyOf(distinct, count);
    }

    /**
     * Returns the number of tables over each of {@code ranks}, by one sweep.
     *
     * @param lows the lowest ranks of the tables, ascending
     * @param highs their highest ranks, ascending
     */
    private int[] depths(int[] lows, int[] highs) {
      int[] depths = new int[ranks.length];
      int begun = 0;
      int ended = 0;
      for (int place = 0; place < depths.length; place++) {
        while (begun < lows.length && lows[begun] <= ranks[place]) {
          begun++;
        }
        while (ended < highs.length && highs[ended] < ranks[place]) {
          ended++;
        }
        depths[place] = begun - ended;
      }
      return depths;
    }

    /** Returns the index of a rank, which must be the lowest of some table. */
    private int from(int low) {
      return Arrays.binarySearch(ranks, low);
    }

    /** Returns the index after the last listed rank that is at most the given one. */
    private int to(int high) {
      int found = Arrays.binarySearch(ranks, high);
      return found < 0 ? -found - 1 : found + 1;
    }

    private void add(int level, int low, int high, int tables) {
      for (int place = from(low); place < to(high); place++) {
        byLevel[level][place] += tables;
      }
    }

    /** Updates the depths for a merge: one table replaces the given ones over their range. */
    void merged(int level, List<PlacedSlice> slices, Span span) {
      for (PlacedSlice slice : slices) {
        add(level, slice.low(), slice.high(), -1);
      }
      add(level, span.low, span.high, 1);
    }

    int rank(int place) {
      return ranks[place];
    }

    int total(int place) {
      int total = 0;
      for (int[] level : byLevel) {
        total += level[place];
      }
      return total;
    }

    /**
     * Returns the first index in {@code ranks} with the largest depth above the bound where some
     * level from 1 on has two tables to merge; -1 if none exists.
     *
     * @param above depth that is still allowed
     */
    int deepest(int above) {
      int deepest = -1;
      int most = above;
      for (int place = 0; place < ranks.length; place++) {
        int total = total(place);
        if (total > most && fullestLevel(place) > 0) {
          most = total;
          deepest = place;
        }
      }
      return deepest;
    }

    /**
     * Returns the level, from 1 on, with the most tables over one rank; the shallowest of equals; 0
     * if no level has two tables there.
     *
     * @param place index in {@code ranks}
     */
    int fullestLevel(int place) {
      int fullest = 0;
      int most = 1;
      for (int level = 1; level < byLevel.length; level++) {
        if (byLevel[level][place] > most) {
          most = byLevel[level][place];
          fullest = level;
        }
      }
      return fullest;
    }
  }
}
