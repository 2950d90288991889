// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.ReadTerms;
import io.coppice.policy.Shape;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.DeletionPicker;
import io.coppice.policy.pick.InPlaceRewrite;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PinnedSpacePicker;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.PrioritizedPolicy;
import io.coppice.policy.pick.ReadTriggeredPicker;
import io.coppice.policy.pick.SmallTablePicker;
import io.coppice.policy.pick.TombstoneDropPicker;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Leveled compaction (LevelDB; the base of dCompaction, mechanism D1) and delayed compaction (Pan,
 * Yue, Xiong: dCompaction, JCST 2017). The runs of level 0 overlap; every deeper level is one run
 * with a target size that grows by the fanout. Delayed compaction defers a merge of fewer than
 * {@code vct} distinct tables. It regroups the slices into virtual segments of the target run
 * without reading or writing data, and a later merge then does several such steps at once.
 *
 * <pre>
 * level 1  [     P      ]           P overlaps A, B and C: four tables, fewer than vct
 * level 2  [ A ][ B ][ C ][ D ]
 *             | one manifest edit; no table is read or written
 * level 2  [P A][P B][P C][ D ]     virtual segments list their tables, newest first
 *             | once vct tables take part
 * level 2  [ A'][ B'][ C'][ D ]     one merge rewrites them
 * </pre>
 *
 * The candidate plans, the most urgent first:
 *
 * <ol>
 *   <li>Drops of tombstones that hide nothing.
 *   <li>While level 0 is at its trigger: levels that are fuller than level 0, the fullest first.
 *   <li>Level 0 at its trigger: the cluster of overlapping level-0 slices with the oldest one,
 *       merged into the newest run of level 1 with the segments that it overlaps there.
 *   <li>Groups of virtual segments that reads asked for and that {@code ReadBudget} grants,
 *       rewritten to real tables in place. Only level 0 and fuller levels precede them, because
 *       those stop writers. Delayed compaction only.
 *   <li>A deeper level of several runs, left by another policy: the newer runs are merged into the
 *       oldest, cluster by cluster.
 *   <li>A level over its target: the slice with the smallest overlap ratio in the next level, then
 *       the oldest, merged into that level.
 *   <li>Small neighboring tables, joined in place.
 *   <li>Tables with little data in use, rewritten while they pin too much space. Delayed compaction
 *       only.
 * </ol>
 *
 * <p>In each step, slices without overlap move. Apart from fuller levels, shallow levels precede
 * deep ones. This policy treats incomplete runs as ordinary runs.
 *
 * <p>A level merge takes whole segments but leaves the other segments of their groups: those share
 * tables, not ranks.
 *
 * <p>Under {@link MergeRule#FREE} tables are whole, a delay changes their level, and tables of one
 * level may overlap. The following rules differ:
 *
 * <ul>
 *   <li>A table goes down with the tables of the next level that it overlaps, without those that
 *       these overlap in turn. The count that {@code vct} limits is the overlap depth.
 *   <li>A table that is due for a merge and overlaps others of its own level is first merged with
 *       those.
 *   <li>At most {@code vct} tables of all levels overlap one key, see {@link OverlapPicker}.
 *   <li>Tables over the largest run are merged with it once their bytes exceed a share of that run.
 * </ul>
 *
 * Immutable.
 */
public final class DelayedPolicy implements PrioritizedPolicy {

  /**
   * Value of {@code vsmt} for leveled compaction: no segment has this many parents. Leveled ignores
   * requests of reads and leaves pinned space unbounded.
   */
  public static final int NEVER = Integer.MAX_VALUE;

  private final int vct;
  private final int vsmt;
  private final ReadTerms readTerms;
  private final long maxPinnedThousandths;
  private final long maxOverlapThousandths;
  private final LeveledPicker descent;
  private final MergeLimits limits;

  /**
   * Creates a delayed policy, or a leveled one if the picker delays nothing.
   *
   * @param descent the growth of levels, and the table count below which it delays a merge
   * @param vsmt least number of parents that makes a read request a merge of the segment, at least
   *     2
   * @param readTerms terms on which such requests are granted
   * @param maxPinnedThousandths bytes on disk but in no slice, in thousandths of the bytes in
   *     slices, above which tables are freed
   * @param maxOverlapThousandths under FREE: bytes that overlap the largest run, in thousandths of
   *     its own, above which they are merged with it; 0 means no limit
   */
  public DelayedPolicy(
      LeveledPicker descent,
      int vsmt,
      ReadTerms readTerms,
      long maxPinnedThousandths,
      long maxOverlapThousandths) {
    this.vct = descent.vct();
    this.vsmt = vsmt;
    this.readTerms = readTerms;
    this.maxPinnedThousandths = maxPinnedThousandths;
    this.maxOverlapThousandths = maxOverlapThousandths;
    this.descent = descent;
    this.limits = descent.limits();
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    PlanningView view = new PlanningView(shape);
    Optional<Plan> plan = CandidatePlan.first(candidates(view, budget.boundBytes()), budget);
    return plan.isPresent() ? plan : descent.shrunkLevelZero(view, budget);
  }

  @Override
  public int mergeOnRead() {
    return vct <= 1 ? NEVER : vsmt;
  }

  @Override
  public ReadTerms readTerms() {
    return readTerms;
  }

  @Override
  public Backlog backlog(Shape shape) {
    return CandidatePlan.backlog(candidates(new PlanningView(shape.unclaimed()), Long.MAX_VALUE));
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
            () -> descent.levelsFullerThanLevelZero(view, transientBytes),
            () -> descent.levelZero(view),
            () -> vsmt < NEVER ? new ReadTriggeredPicker(view, limits).candidates() : Stream.of(),
            () -> loose(view) ? new OverlapPicker(view, limits).depthMerges(vct) : Stream.of(),
            () -> descent.deeper(view, transientBytes),
            () -> loose(view) ? Stream.of() : deletions(view),
            () ->
                loose(view)
                    ? new OverlapPicker(view, limits)
                        .overlapping(maxOverlapThousandths, descent.targetBytes(1))
                    : Stream.of(),
            () -> DeletionPicker.inPlace(view, limits),
            () -> InPlaceRewrite.ofEnded(view, limits),
            () -> SmallTablePicker.candidates(view, limits, SmallTablePicker.MIN_NEIGHBOURS),
            () ->
                vsmt < NEVER
                    ? new PinnedSpacePicker(view, limits, maxPinnedThousandths).candidates()
                    : Stream.of()));
  }

  private Stream<CandidatePlan> deletions(PlanningView view) {
    return LevelDeletionPicker.candidates(
        view,
        limits,
        vct > 1,
        () -> new PinnedSpacePicker(view, limits, maxPinnedThousandths).pinnedBytes());
  }

  private boolean loose(PlanningView view) {
    return OutputLevel.allowsOverlap(view, vct);
  }
}
