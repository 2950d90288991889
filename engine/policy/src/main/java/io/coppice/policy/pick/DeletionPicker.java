// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Reason;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Thousandths;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Merges that remove what deletions hide. Sizes and counts trigger most other merges, and a
 * deletion is small: the deletions of most keys would wait in upper runs while the deleted data
 * stays below them. While deletions occupy and hide more than the allowed share of all bytes, they
 * are merged with the older data. Each merge removes deletions or brings them further down, so the
 * work ends. Coppice's own addition; RocksDB weighs the deletions of a file by the mean size of its
 * values.
 */
public final class DeletionPicker {

  /** Share of all bytes that deletions may occupy and hide in whole runs, in thousandths. */
  private static final long OF_RUNS = 500;

  /**
   * Share of all bytes that deletions may occupy and hide in levels with targets, in thousandths.
   */
  public static final long OF_LEVELS = 200;

  /** Number of full tables whose bytes deletions may always occupy and hide. */
  private static final int ALLOWED_TABLES = 2;

  /** A table is rewritten for its deletions alone if they are at least 1/8 of its entries. */
  private static final int ONE_IN = 8;

  /**
   * Deletions that may remain after a rewrite: those of the first and the last key, because the
   * windows of neighboring slices may end at these keys.
   */
  private static final int KEPT = 2;

  private final PlanningView view;
  private final HiddenBytes hidden;
  private final MergeLimits limits;

  private DeletionPicker(PlanningView view, MergeLimits limits) {
    this.view = view;
    this.hidden = view.hiddenBytes();
    this.limits = limits;
  }

  /** Returns whether no run has deletions that hide older entries. */
  public static boolean none(PlanningView view) {
    return view.runs().stream().noneMatch(run -> run.facts().hides());
  }

  /**
   * Returns whether the bytes that deletions occupy and hide exceed half of all bytes by more than
   * two tables.
   */
  public static boolean prevail(PlanningView view, MergeLimits limits) {
    return !none(view) && excess(view, view.hiddenBytes(), OF_RUNS, limits) > 0;
  }

  /**
   * Returns by how many bytes the data that the deletions of these runs hide exceeds {@link
   * #slack}; 0 if it does not.
   */
  public static long excess(
      List<PlanningView.PlacedRun> runs, PlanningView view, MergeLimits limits) {
    return none(view) ? 0 : Math.max(0, view.hiddenBytes().of(runs) - slack(limits));
  }

  /**
   * Returns the bytes that deletions may always occupy and hide: two full tables; {@link
   * Long#MAX_VALUE} if that overflows.
   */
  public static long slack(MergeLimits limits) {
    return limits.tableBytes() > Long.MAX_VALUE / ALLOWED_TABLES
        ? Long.MAX_VALUE
        : ALLOWED_TABLES * limits.tableBytes();
  }

  /**
   * Returns by how many bytes deletions and the data they hide exceed their limit in levels with
   * targets and the slack; 0 if they do not.
   */
  public static long excessOfLevels(PlanningView view, HiddenBytes hidden, MergeLimits limits) {
    return Math.max(0, excess(view, hidden, OF_LEVELS, limits));
  }

  /**
   * Returns by how many bytes deletions and the data they hide exceed their limit and the slack; 0
   * or less if they do not.
   *
   * @param thousandths share of all bytes that is allowed
   */
  private static long excess(
      PlanningView view, HiddenBytes hidden, long thousandths, MergeLimits limits) {
    long allowed = (long) ((double) view.shape().bytes() * thousandths / Thousandths.ONE);
    return hidden.total() - allowed - slack(limits);
  }

  private Reason reason() {
    return reason(view);
  }

  /** Returns the reason of a merge that removes what deletions hide. */
  public static Reason reason(PlanningView view) {
    return reason(view, view.hiddenBytes());
  }

  /**
   * Returns the reason of a merge that removes what deletions hide.
   *
   * @param hidden the bytes that the reason names
   */
  public static Reason reason(PlanningView view, HiddenBytes hidden) {
    return Reason.ofNumbers(
        "deletions",
        "deletions occupy and hide {hidden} of {bytes} bytes",
        hidden.total(),
        view.shape().bytes());
  }

  /**
   * Returns the merge of all runs from the newest one with deletions to the oldest, or of fewer of
   * the newest when space is short. The stream is empty while deletions stay within their limit,
   * and while one of these runs is incomplete or in use.
   *
   * @param transientBytes limit of transient space in bytes
   */
  public static Stream<CandidatePlan> ofRuns(
      PlanningView view, MergeLimits limits, long transientBytes) {
    return none(view) ? Stream.of() : new DeletionPicker(view, limits).runs(transientBytes);
  }

  private Stream<CandidatePlan> runs(long transientBytes) {
    if (excess(view, hidden, OF_RUNS, limits) <= 0) {
      return Stream.of();
    }
    RunSequence sequence = new RunSequence(view);
    List<RunSequence.Item> items = sequence.items();
    int from = 0;
    // Under FREE a run may hold older tables than a run that is later in the sequence.
    while (view.adjacent() && from < items.size() && hidden.of(items.get(from).last()) == 0) {
      from++;
    }
    if (items.subList(from, items.size()).stream().anyMatch(RunSequence.Item::busy)) {
      return Stream.of();
    }
    if (from >= items.size() - 1) {
      return from == items.size() ? Stream.of() : virtualSegments(items.get(from).last());
    }
    int first = from;
    return CandidatePlan.shrunkToSpace(
        view.adjacent(),
        items.size() - first,
        width -> join(sequence, first, first + width).candidates(view, limits),
        transientBytes);
  }

  private RunMerge join(RunSequence sequence, int from, int to) {
    List<PlanningView.PlacedRun> runs = RunSequence.runs(sequence.items().subList(from, to));
    int own = sequence.items().get(to - 1).level();
    OptionalInt level = sequence.level(from, to, own);
    return level.isPresent()
        ? RunMerge.intoNewRun(level.getAsInt(), runs, 2, reason())
        : RunMerge.into(runs.get(runs.size() - 1), runs.subList(0, runs.size() - 1), reason());
  }

  /**
   * Returns one merge for each virtual segment of a run with deletions that hide entries of its
   * other slices.
   */
  private Stream<CandidatePlan> virtualSegments(PlanningView.PlacedRun run) {
    List<CandidatePlan> merges = new ArrayList<>();
    List<SegmentFacts> segments = run.facts().segments();
    for (int i = 0; i < segments.size(); i++) {
      if (hidden.of(run, i) > 0 && segments.get(i).slices().size() > 1) {
        merges.add(
            new AdjacentSegments(run, segments.subList(i, i + 1)).merge(view, reason(), limits));
      }
    }
    return merges.stream();
  }

  /**
   * Returns rewrites in place of slices with many deletions, at least an eighth of their entries,
   * and nothing older below. A merge leaves such deletions out, but a move keeps them. The stream
   * is empty under {@link MergeRule#FREE}, where the host decides which data is old.
   */
  public static Stream<CandidatePlan> inPlace(PlanningView view, MergeLimits limits) {
    if (!view.adjacent() || none(view)) {
      return Stream.of();
    }
    HiddenBytes hidden = view.hiddenBytes();
    return LazyConcat.of(
        view.runs().stream().filter(run -> run.facts().hides()),
        run -> InPlaceRewrite.ofDeletions(view, run, idle(view, run, hidden), limits));
  }

  private static Set<Long> idle(PlanningView view, PlanningView.PlacedRun run, HiddenBytes hidden) {
    Set<Long> found = new HashSet<>();
    for (PlacedSlice slice : run.slices()) {
      SliceFacts facts = slice.facts();
      if (facts.hidden() > 0
          && facts.tombstones() > KEPT
          && facts.tombstones() >= facts.entries() / ONE_IN
          && !facts.hasTombstonesOnly()
          && hidden.isLowest(slice)
          && !PlanConflicts.mayWriteBelow(view, slice)) {
        found.add(facts.slice());
      }
    }
    return found;
  }
}
