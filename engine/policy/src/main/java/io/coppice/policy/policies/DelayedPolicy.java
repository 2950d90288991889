// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.ReadTerms;
import io.coppice.policy.Shape;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PinnedSpacePicker;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.PrioritizedPolicy;
import io.coppice.policy.pick.ReadTriggeredPicker;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Delayed compaction (Pan, Yue, Xiong: dCompaction, JCST 2017): {@link LeveledPolicy} that defers a
 * merge of fewer than {@code vct} distinct tables. It regroups the slices into virtual segments of
 * the target run without reading or writing data, and a later merge then does several such steps at
 * once.
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
 * The candidates of leveled compaction, with these among them:
 *
 * <ol>
 *   <li>After level 0: groups of virtual segments that reads asked for and that {@code ReadBudget}
 *       grants, rewritten to real tables in place. Only level 0 and fuller levels precede them,
 *       because those stop writers.
 *   <li>Last: tables with little data in use, rewritten while they pin too much space.
 * </ol>
 *
 * <p>Under {@link MergeRule#FREE} tables are whole, a delay changes their level, and tables of one
 * level may overlap. The following rules differ:
 *
 * <ul>
 *   <li>The count that {@code vct} limits is the overlap depth.
 *   <li>Before the deeper levels: merges until at most {@code vct} tables of all levels overlap one
 *       key, see {@link OverlapPicker}.
 *   <li>After the deeper levels: tables over the largest run are merged with it once their bytes
 *       exceed a share of that run. They take the place of the merges that remove what deletions
 *       hide.
 * </ul>
 *
 * Immutable.
 */
public final class DelayedPolicy implements PrioritizedPolicy {

  private final LeveledPolicy leveled;
  private final int vsmt;
  private final ReadTerms readTerms;
  private final long maxPinnedThousandths;
  private final long maxOverlapThousandths;

  /**
   * Creates a delayed policy.
   *
   * @param leveled the levels, and the table count {@code vct} below which a merge is delayed
   * @param vsmt least number of parents that makes a read request a merge of the segment, at least
   *     2
   * @param readTerms terms on which such requests are granted
   * @param maxPinnedThousandths bytes on disk but in no slice, in thousandths of the bytes in
   *     slices, above which tables are freed
   * @param maxOverlapThousandths under FREE: bytes that overlap the largest run, in thousandths of
   *     its own, above which they are merged with it; 0 means no limit
   */
  public DelayedPolicy(
      LeveledPolicy leveled,
      int vsmt,
      ReadTerms readTerms,
      long maxPinnedThousandths,
      long maxOverlapThousandths) {
    this.leveled = leveled;
    this.vsmt = vsmt;
    this.readTerms = readTerms;
    this.maxPinnedThousandths = maxPinnedThousandths;
    this.maxOverlapThousandths = maxOverlapThousandths;
  }

  @Override
  public Stream<CandidatePlan> candidates(PlanningView view, long transientBytes) {
    boolean overlapping = OutputLevel.allowsOverlap(view, leveled.vct());
    return CandidatePlan.concat(
        List.of(
            () -> leveled.urgent(view, transientBytes),
            () -> new ReadTriggeredPicker(view, limits()).candidates(),
            () -> overlapping ? depthMerges(view) : Stream.of(),
            () -> leveled.deeper(view, transientBytes),
            () -> overlapping ? overlapMerges(view) : deletions(view),
            () -> leveled.inPlace(view),
            () -> pinnedSpace(view).candidates()));
  }

  private Stream<CandidatePlan> depthMerges(PlanningView view) {
    return new OverlapPicker(view, limits()).depthMerges(leveled.vct());
  }

  private Stream<CandidatePlan> overlapMerges(PlanningView view) {
    return new OverlapPicker(view, limits())
        .overlapping(maxOverlapThousandths, leveled.targetBytes(1));
  }

  private Stream<CandidatePlan> deletions(PlanningView view) {
    return LevelDeletionPicker.candidates(
        view, limits(), leveled.vct() > 1, () -> pinnedSpace(view).pinnedBytes());
  }

  private PinnedSpacePicker pinnedSpace(PlanningView view) {
    return new PinnedSpacePicker(view, limits(), maxPinnedThousandths);
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    return leveled.next(this, shape, budget);
  }

  @Override
  public Backlog backlog(Shape shape) {
    return CandidatePlan.backlog(candidates(new PlanningView(shape.unclaimed()), Long.MAX_VALUE));
  }

  @Override
  public MergeLimits limits() {
    return leveled.limits();
  }

  @Override
  public int mergeOnRead() {
    return leveled.vct() <= 1 ? Integer.MAX_VALUE : vsmt;
  }

  @Override
  public ReadTerms readTerms() {
    return readTerms;
  }

  @Override
  public Set<Long> requestsThatFit(Shape shape, long transientBytes) {
    return new ReadTriggeredPicker(new PlanningView(shape), limits()).fitting(transientBytes);
  }
}
