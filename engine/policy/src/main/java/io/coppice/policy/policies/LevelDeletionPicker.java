// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Thousandths;
import io.coppice.policy.pick.AdjacentSegments;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.DeletionPicker;
import io.coppice.policy.pick.HiddenBytes;
import io.coppice.policy.pick.LazyConcat;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Merges that remove what deletions hide in levels with targets, see {@link DeletionPicker}. The
 * segments whose deletions remove most for each byte rewritten are merged with the next level.
 * Level 0 counts as one segment.
 */
final class LevelDeletionPicker {

  /** Share of all bytes that deletions may occupy and hide in delayed levels, in thousandths. */
  private static final long OF_DELAYED = 50;

  private final PlanningView view;
  private final HiddenBytes hidden;
  private final MergeLimits limits;

  private LevelDeletionPicker(PlanningView view, MergeLimits limits) {
    this.view = view;
    this.hidden = view.hiddenBytes();
    this.limits = limits;
  }

  /**
   * Returns the merges, best first, until deletions occupy and hide no more than they may.
   *
   * @param delayed whether the policy delays merges, which lowers the limit
   * @param pinnedBytes supplies the bytes on disk that no slice shows; asked only if needed
   */
  static Stream<CandidatePlan> candidates(
      PlanningView view, MergeLimits limits, boolean delayed, LongSupplier pinnedBytes) {
    return DeletionPicker.none(view)
        ? Stream.of()
        : new LevelDeletionPicker(view, limits).candidates(delayed, pinnedBytes);
  }

  /**
   * Returns by how many bytes deletions and the data they hide exceed their limit and the slack; 0
   * or less if they do not. With delays the limit is smaller, and bytes that no slice shows count
   * against the disk share.
   *
   * @param pinnedBytes supplies the bytes on disk that no slice shows; asked only if needed
   */
  private long excess(boolean delayed, LongSupplier pinnedBytes) {
    long used = view.shape().bytes();
    long excess = hidden.total() - share(used, delayed ? OF_DELAYED : DeletionPicker.OF_LEVELS);
    if (delayed && excess > 0) {
      long pinned = pinnedBytes.getAsLong();
      excess =
          Math.min(
              excess, hidden.total() + pinned - share(used + pinned, DeletionPicker.OF_LEVELS));
    }
    return excess - DeletionPicker.slack(limits);
  }

  private static long share(long bytes, long thousandths) {
    return (long) ((double) bytes * thousandths / Thousandths.ONE);
  }

  private Reason reason() {
    return DeletionPicker.reason(view);
  }

  /** Segment, or level 0 as a whole, that its deletions make worth a merge with the next level. */
  private record Descent(
      PlanningView.PlacedRun run, int segment, long removable, long rewrittenBytes) {

    static final Comparator<Descent> BEST_FIRST =
        Comparator.comparingDouble((Descent descent) -> -descent.gain())
            .thenComparingInt(descent -> -descent.run.ageIndex())
            .thenComparingInt(Descent::segment);

    double gain() {
      return (double) removable / Math.max(1, rewrittenBytes);
    }
  }

  private Stream<CandidatePlan> candidates(boolean delayed, LongSupplier pinnedBytes) {
    long excess = excess(delayed, pinnedBytes);
    if (excess <= 0) {
      return Stream.of();
    }
    Queue<Descent> best = descents();
    long[] left = {excess};
    return LazyConcat.of(
        Stream.generate(best::poll).takeWhile(next -> next != null && left[0] > 0),
        descent -> {
          left[0] -= descent.removable;
          return descent.run.level() == 0 ? levelZero() : down(descent).stream();
        });
  }

  private Queue<Descent> descents() {
    Queue<Descent> descents = new PriorityQueue<>(Descent.BEST_FIRST);
    levelZeroDescent().ifPresent(descents::add);
    for (PlanningView.PlacedRun run : view.runs()) {
      RunFacts facts = run.facts();
      if (run.level() == 0 || run.level() >= limits.maxLevel() || !facts.hides()) {
        continue;
      }
      OutputLevel below = below(run.level());
      for (int i = 0; i < facts.segments().size(); i++) {
        if (hidden.of(run, i) > 0 && !facts.claimed(i) && !wouldPass(run, i)) {
          long met = PlacedSlice.bytes(below.overlapping(facts.low(i), facts.high(i)));
          descents.add(new Descent(run, i, hidden.removable(run, i), facts.bytes(i) + met));
        }
      }
    }
    return descents;
  }

  /**
   * Returns whether a segment on its way down would pass older data of its own level. Only another
   * policy leaves several runs in a level.
   */
  private boolean wouldPass(PlanningView.PlacedRun run, int segment) {
    RunFacts facts = run.facts();
    return view.adjacent()
        && view.runs(run.level()).stream()
            .anyMatch(
                older ->
                    older.ageIndex() > run.ageIndex()
                        && !older.overlapping(facts.low(segment), facts.high(segment)).isEmpty());
  }

  private Optional<Descent> levelZeroDescent() {
    List<PlanningView.PlacedRun> runs = view.nonEmptyRuns(0);
    long bytes = 0;
    long removable = 0;
    OutputLevel below = below(0);
    Set<PlacedSlice> met = new HashSet<>();
    for (PlanningView.PlacedRun run : runs) {
      for (int i = 0; i < run.facts().segments().size(); i++) {
        removable += hidden.removable(run, i);
        bytes += run.facts().bytes(i);
        met.addAll(below.overlapping(run.facts().low(i), run.facts().high(i)));
      }
    }
    return hidden.of(runs) == 0
        ? Optional.empty()
        : Optional.of(
            new Descent(
                runs.get(0), 0, removable, bytes + PlacedSlice.bytes(new ArrayList<>(met))));
  }

  private OutputLevel below(int level) {
    return new OutputLevel(view, level + 1, 0, limits);
  }

  private Stream<CandidatePlan> levelZero() {
    List<PlanningView.PlacedRun> runs = view.nonEmptyRuns(0);
    return new LevelZeroPicker(runs, reason(), below(0)).candidates(runs.size()).stream();
  }

  private Optional<CandidatePlan> down(Descent descent) {
    PlanningView.PlacedRun run = descent.run;
    SegmentFacts segment = run.facts().segments().get(descent.segment);
    OutputLevel below = below(run.level());
    List<PlacedSlice> met = below.overlapping(segment.low(), segment.high());
    List<PlacedSlice> slices = run.slices(segment);
    if (!met.isEmpty()) {
      return Optional.of(below.mergeOrDelay(slices, met, reason()));
    }
    return slices.size() == 1
        ? below.move(slices, reason())
        : Optional.of(new AdjacentSegments(run, List.of(segment)).merge(view, reason(), limits));
  }
}
