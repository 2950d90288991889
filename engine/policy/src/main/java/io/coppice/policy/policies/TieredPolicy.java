// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Reason;
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
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Tiered compaction: the universal compaction of RocksDB. All runs form one sequence by age. Once
 * there are {@code runs} of them, the first rule that applies merges adjacent runs into one.
 *
 * <ol>
 *   <li>Space: the bytes newer than the oldest run exceed the allowed percentage of its own bytes.
 *       All runs are merged.
 *   <li>Size ratio: starting at the newest run, the next is added while it is at most {@code
 *       sizeRatioPercent} larger than the sum of those before it. If a start gives too few runs,
 *       the next start is tried.
 *   <li>Count: enough of the newest runs to bring the number of runs under the trigger.
 * </ol>
 *
 * The output takes the place of its inputs in the age order, in the deepest level between their
 * neighbors. Tables without overlap move. An incomplete run continues first and counts as one.
 * Immutable.
 */
public final class TieredPolicy implements PrioritizedPolicy {

  /**
   * Rules that decide when a merge starts and which runs it takes.
   *
   * @param runs trigger: least number of runs for the rules to apply, at least 2
   * @param sizeRatioPercent allowed excess of the next run over the sum of the newer ones, in
   *     percent
   * @param minWidth least runs of a merge by size ratio, at least 2
   * @param maxWidth most runs of a merge by size ratio or count; 0 means no limit
   * @param maxSpacePercent allowed bytes newer than the oldest run, in percent of the bytes of the
   *     oldest run
   */
  public record Rules(
      int runs, int sizeRatioPercent, int minWidth, int maxWidth, int maxSpacePercent) {}

  /**
   * Choice of adjacent items to merge.
   *
   * @param from index of the newest item, inclusive
   * @param to index after the oldest item
   */
  private record Pick(int from, int to, Reason reason) {}

  private final Rules rules;
  private final int maxWidth;
  private final MergeLimits limits;

  public TieredPolicy(Rules rules, MergeLimits limits) {
    this.rules = rules;
    this.limits = limits;
    maxWidth = rules.maxWidth == 0 ? Integer.MAX_VALUE : Math.max(rules.minWidth, rules.maxWidth);
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
            () -> picked(view, transientBytes),
            () -> DeletionPicker.ofRuns(view, limits, transientBytes),
            () -> DeletionPicker.inPlace(view, limits),
            () -> InPlaceRewrite.ofEnded(view, limits),
            () ->
                SmallTablePicker.settledCandidates(view, limits, SmallTablePicker.MIN_NEIGHBOURS)));
  }

  private Stream<CandidatePlan> picked(PlanningView view, long transientBytes) {
    RunSequence sequence = new RunSequence(view);
    return pick(sequence.items())
        .map(pick -> shrunk(view, sequence, pick, transientBytes))
        .orElse(Stream.of());
  }

  /** Returns the merge of the chosen runs, or of fewer of the newest when space is short. */
  private Stream<CandidatePlan> shrunk(
      PlanningView view, RunSequence sequence, Pick pick, long transientBytes) {
    return CandidatePlan.shrunkToSpace(
        view.adjacent(),
        pick.to - pick.from,
        width -> join(sequence, pick.from, pick.from + width, pick.reason).candidates(view, limits),
        transientBytes);
  }

  private RunMerge join(RunSequence sequence, int from, int to, Reason reason) {
    List<PlanningView.PlacedRun> runs = RunSequence.runs(sequence.items().subList(from, to));
    OptionalInt level = sequence.level(from, to, Math.min(limits.maxLevel(), rules.runs));
    return level.isPresent()
        ? RunMerge.intoNewRun(level.getAsInt(), runs, 2, reason)
        : RunMerge.into(runs.get(runs.size() - 1), runs.subList(0, runs.size() - 1), reason);
  }

  private Optional<Pick> pick(List<RunSequence.Item> items) {
    return items.size() < rules.runs
        ? Optional.empty()
        : bySpace(items).or(() -> bySizeRatio(items)).or(() -> byCount(items));
  }

  private Optional<Pick> bySpace(List<RunSequence.Item> items) {
    int oldest = items.size() - 1;
    long newerBytes = RunSequence.bytes(items.subList(0, oldest));
    long oldestBytes = items.get(oldest).bytes();
    if (items.stream().anyMatch(RunSequence.Item::busy)
        || 100.0 * newerBytes <= (double) rules.maxSpacePercent * oldestBytes) {
      return Optional.empty();
    }
    Reason reason =
        Reason.ofNumbers(
            "space-amplification",
            "runs newer than the oldest have {newer} bytes, it has {oldest},"
                + " {percent} percent are allowed",
            newerBytes,
            oldestBytes,
            rules.maxSpacePercent);
    return Optional.of(new Pick(0, items.size(), reason));
  }

  private Optional<Pick> bySizeRatio(List<RunSequence.Item> items) {
    for (int from = 0; from < items.size(); from++) {
      int to = likeSizes(items, from);
      if (to - from >= rules.minWidth) {
        Reason reason =
            Reason.ofNumbers(
                "size-ratio",
                "{runs} runs in a row, none larger than {percent} percent above those newer",
                to - from,
                rules.sizeRatioPercent);
        return Optional.of(new Pick(from, to, reason));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the index after the last run that the size rule merges with the given one; {@code from}
   * if that one is busy.
   *
   * @param from index of the newest run to merge
   */
  private int likeSizes(List<RunSequence.Item> items, int from) {
    int to = from;
    double sum = 0;
    while (to < items.size()
        && !items.get(to).busy()
        && (long) to - from < maxWidth
        && (to == from || items.get(to).bytes() <= sum * (100 + rules.sizeRatioPercent) / 100)) {
      sum += items.get(to).bytes();
      to++;
    }
    return to;
  }

  private Optional<Pick> byCount(List<RunSequence.Item> items) {
    int width = Math.min(maxWidth, items.size() - rules.runs + 2);
    for (int from = 0; from + 1 < items.size(); from++) {
      int to = from;
      while (to < items.size() && to - from < width && !items.get(to).busy()) {
        to++;
      }
      if (to - from >= 2) {
        Reason reason =
            Reason.ofNumbers(
                "run-count", "{runs} runs, trigger is {trigger}", items.size(), rules.runs);
        return Optional.of(new Pick(from, to, reason));
      }
    }
    return Optional.empty();
  }
}
