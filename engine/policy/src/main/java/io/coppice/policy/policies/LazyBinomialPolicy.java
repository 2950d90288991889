// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Reason;
import io.coppice.policy.Thousandths;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.DeletionPicker;
import io.coppice.policy.pick.InPlaceRewrite;
import io.coppice.policy.pick.LazyConcat;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.PrioritizedPolicy;
import io.coppice.policy.pick.RunMerge;
import io.coppice.policy.pick.RunSequence;
import io.coppice.policy.pick.SmallTablePicker;
import io.coppice.policy.pick.TombstoneDropPicker;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Lazy binomial compaction: a few trees over one base. Coppice's own policy. The trees follow the
 * k-binomial transform of Bentley and Saxe, see {@link Combinadic}; merging the base late is lazy
 * leveling, Dostoevsky. Level 0 receives the flushes and level 1 the upper trees; the oldest run
 * from level 2 on is the base.
 *
 * <ol>
 *   <li>Incomplete runs continue.
 *   <li>The oldest flush enters level 1 as a tree of its own, by a move, while fewer than k trees
 *       exist, or k trees that can be merged.
 *   <li>Without a base, the oldest tree becomes the base, by a move.
 *   <li>When all trees together exceed the base by the given ratio, they and the base become the
 *       new base.
 *   <li>With more than k trees, the new ones and the trees of digits 1..i become one. The index i
 *       is the smallest such that the digit of the merged tree stays below the digit of the next
 *       older tree.
 * </ol>
 *
 * Slices without overlap move. Stateless: the bytes of a tree, in units of the new trees, give its
 * digit. Immutable.
 */
public final class LazyBinomialPolicy implements PrioritizedPolicy {

  private static final int UPPER_LEVEL = 1;

  private final int trees;
  private final long baseRatio;
  private final int baseLevel;
  private final MergeLimits limits;

  /**
   * Creates a lazy-binomial policy.
   *
   * @param trees most upper trees at rest (k), at least 1
   * @param baseRatio ratio of upper bytes to base bytes above which they are merged (x), in
   *     thousandths; 0 disables the base: all trees are upper trees, and deletions merge them all
   */
  public LazyBinomialPolicy(int trees, long baseRatio, MergeLimits limits) {
    this.trees = trees;
    this.baseRatio = baseRatio;
    this.limits = limits;
    baseLevel = Math.min(UPPER_LEVEL + 1, limits.maxLevel());
  }

  @Override
  public MergeLimits limits() {
    return limits;
  }

  @Override
  public Stream<CandidatePlan> candidates(PlanningView view, long transientBytes) {
    return CandidatePlan.concat(
        List.of(
            () -> TombstoneDropPicker.candidates(view),
            () ->
                LazyConcat.of(
                    view.incompleteRuns().stream(),
                    incomplete ->
                        RunMerge.continued(incomplete).withinSpace(view, limits, transientBytes)),
            () -> decided(view, transientBytes),
            () ->
                baseRatio == 0 ? DeletionPicker.ofRuns(view, limits, transientBytes) : Stream.of(),
            () -> DeletionPicker.inPlace(view, limits),
            () -> InPlaceRewrite.ofEnded(view, limits),
            () ->
                SmallTablePicker.settledCandidates(view, limits, SmallTablePicker.MIN_NEIGHBOURS)));
  }

  private Stream<CandidatePlan> decided(PlanningView view, long transientBytes) {
    RunSequence all = new RunSequence(view);
    List<RunSequence.Item> row = all.items();
    int flushes = (int) row.stream().takeWhile(item -> item.level() == 0).count();
    boolean based =
        baseRatio > 0 && flushes < row.size() && row.get(row.size() - 1).level() >= baseLevel;
    List<RunSequence.Item> waiting = row.subList(0, flushes);
    List<RunSequence.Item> upper = row.subList(flushes, based ? row.size() - 1 : row.size());
    List<RunSequence.Item> base = row.subList(flushes + upper.size(), row.size());
    return CandidatePlan.concat(
        List.of(
            () -> pieces(view, entering(waiting, upper, base)),
            () -> ontoBase(view, upper, base),
            () -> pieces(view, sinking(view, base)),
            () -> upperMerge(view, all, flushes, upper, transientBytes)));
  }

  private Stream<CandidatePlan> pieces(PlanningView view, Optional<RunMerge> join) {
    return join.map(wanted -> wanted.candidates(view, limits)).orElse(Stream.of());
  }

  /**
   * Returns the pieces of the merge of the trees with the base. Under ADJACENT an incomplete run
   * guarantees that all pieces follow. Under FREE no such run exists, and the next flush may end
   * the merge after any piece; the pieces with the largest fraction of new bytes therefore come
   * first.
   */
  private Stream<CandidatePlan> ontoBase(
      PlanningView view, List<RunSequence.Item> upper, List<RunSequence.Item> base) {
    Optional<RunMerge> join = toBase(view, upper, base);
    return view.adjacent()
        ? pieces(view, join)
        : join.map(wanted -> wanted.richestFirst(view, limits)).orElse(Stream.of());
  }

  private Optional<RunMerge> entering(
      List<RunSequence.Item> waiting, List<RunSequence.Item> upper, List<RunSequence.Item> base) {
    boolean room = upper.size() < trees || (upper.size() == trees && !upper.get(0).busy());
    // A flush must not pass an incomplete run that still takes slices from level 0.
    boolean barred =
        Stream.concat(upper.stream(), base.stream()).anyMatch(item -> item.first().level() == 0);
    if (waiting.isEmpty() || waiting.get(waiting.size() - 1).busy() || !room || barred) {
      return Optional.empty();
    }
    Reason reason =
        Reason.ofNumbers(
            "flush-enters",
            "L0 has {flushes} flushes, the oldest becomes a tree over {trees} others",
            waiting.size(),
            upper.size());
    List<RunSequence.Item> oldest = waiting.subList(waiting.size() - 1, waiting.size());
    return Optional.of(RunMerge.intoNewRun(UPPER_LEVEL, RunSequence.runs(oldest), 2, reason));
  }

  private Optional<RunMerge> toBase(
      PlanningView view, List<RunSequence.Item> upper, List<RunSequence.Item> base) {
    if (baseRatio == 0 || upper.isEmpty()) {
      return Optional.empty();
    }
    if (base.isEmpty()) {
      RunSequence.Item oldest = upper.get(upper.size() - 1);
      Reason reason =
          Reason.ofNumbers(
              "first-base", "no base, a tree of {bytes} bytes becomes it", oldest.bytes());
      return oldest.busy()
          ? Optional.empty()
          : Optional.of(
              RunMerge.intoNewRun(baseLevel, RunSequence.runs(List.of(oldest)), 2, reason));
    }
    long upperBytes = RunSequence.bytes(upper);
    long baseBytes = RunSequence.bytes(base);
    long hiddenBytes = hiddenBytes(view, upper);
    boolean busy = upper.stream().anyMatch(RunSequence.Item::busy) || base.get(0).busy();
    // Trees and base together may have (1 + ratio) times the bytes of the base that remain after
    // deletions.
    double weight =
        (double) upperBytes * Thousandths.ONE
            + (double) hiddenBytes * (Thousandths.ONE + baseRatio);
    if (busy || weight <= (double) baseRatio * baseBytes) {
      return Optional.empty();
    }
    Reason reason =
        Reason.ofNumbers(
            "base-ratio",
            "{trees} trees have {upper} bytes over {base} of the base,"
                + " allowed are {ratio} thousandths",
            upper.size(),
            upperBytes,
            baseBytes,
            baseRatio);
    if ((double) upperBytes * Thousandths.ONE <= (double) baseRatio * baseBytes) {
      reason = DeletionPicker.reason(view);
    }
    List<PlanningView.PlacedRun> sources =
        Stream.concat(RunSequence.runs(upper).stream(), RunSequence.runs(base).stream()).toList();
    return Optional.of(RunMerge.intoNewRun(base.get(0).level(), sources, 2, reason));
  }

  /**
   * Returns the bytes that the deletions of the trees hide, beyond the bytes that are always
   * allowed; 0 while a tree is busy.
   */
  private long hiddenBytes(PlanningView view, List<RunSequence.Item> upper) {
    return upper.stream().anyMatch(RunSequence.Item::busy)
        ? 0
        : DeletionPicker.excess(RunSequence.runs(upper), view, limits);
  }

  /**
   * Returns the move of the base one level down. Empty under ADJACENT, and for a base that does not
   * exist, is in use or rests at the deepest level. Under FREE overlap defines runs, so trees of
   * one level cannot be told apart, and each tree needs a level of its own.
   */
  private Optional<RunMerge> sinking(PlanningView view, List<RunSequence.Item> base) {
    if (view.adjacent()
        || base.isEmpty()
        || base.get(0).busy()
        || base.get(0).level() >= deepest()) {
      return Optional.empty();
    }
    int level = base.get(0).level();
    Reason reason =
        Reason.ofNumbers(
            "base-sinks",
            "the base leaves L{level}, that each of up to {limit} trees may have its level",
            level,
            trees);
    return Optional.of(RunMerge.intoNewRun(level + 1, RunSequence.runs(base), 2, reason));
  }

  /**
   * Returns the deepest level of the base under FREE: one below the levels of all k trees, at most
   * the deepest of the host.
   */
  private int deepest() {
    return Math.min(limits.maxLevel(), UPPER_LEVEL + trees);
  }

  /**
   * Returns the merge of the newest trees that leaves at most k; when space is short, it takes
   * fewer of the newest.
   *
   * @param first index of the first tree in the sequence
   */
  private Stream<CandidatePlan> upperMerge(
      PlanningView view,
      RunSequence sequence,
      int first,
      List<RunSequence.Item> upper,
      long transientBytes) {
    int added = upper.size() - trees;
    int width = added > 0 ? width(upper, added) : 0;
    if (width < 2) {
      return Stream.of();
    }
    Reason reason =
        Reason.ofNumbers(
            "too-many-trees",
            "{trees} trees, {limit} are allowed; the newest {newest} become one",
            upper.size(),
            trees,
            width);
    return CandidatePlan.shrunkToSpace(
        view.adjacent(),
        width,
        newest -> {
          List<RunSequence.Item> sources = upper.subList(0, newest);
          int own = sources.get(newest - 1).level();
          int level =
              view.adjacent() ? own : sequence.level(first, first + newest, deepest()).orElse(own);
          return RunMerge.intoNewRun(level, RunSequence.runs(sources), 2, reason)
              .candidates(view, limits);
        },
        transientBytes);
  }

  /**
   * Returns how many of the newest trees become one: the added trees and those of digits 1..i.
   * Adding a unit to a combinadic number raises the least digit that stays below the next and
   * clears the digits before it. The merged tree may therefore grow toward the next digit but must
   * stay below it. The count ends before a busy tree.
   *
   * @param upper the trees, newest first
   * @param added number of trees above k
   */
  private int width(List<RunSequence.Item> upper, int added) {
    int width = 0;
    double bytes = 0;
    double unit = 0;
    while (width < upper.size() && !upper.get(width).busy()) {
      bytes += upper.get(width).bytes();
      width++;
      if (width == added) {
        unit = Math.max(1, bytes / added);
      }
      int digit = width - added;
      if (digit > 0
          && width < upper.size()
          && Combinadic.digit(bytes / unit, digit)
              < Combinadic.digit(upper.get(width).bytes() / unit, digit + 1)) {
        break;
      }
    }
    return width > added ? width : 0;
  }
}
