// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Leveled (LevelDB; the base of dCompaction, mechanism D1) and delayed compaction (Pan, Yue, Xiong:
 * dCompaction, JCST 2017). Level 0 overlaps; every deeper level is one run with a target size that
 * grows by the fanout. Under delayed a merge of fewer than {@code vct} distinct tables is put off:
 * its slices are regrouped into virtual segments of the target run, without reading or writing
 * data, and a later merge takes several such steps at once.
 *
 * <ol>
 *   <li>Deletions of nothing are dropped.
 *   <li>While level 0 is at its trigger, levels that are fuller come first, the fullest before
 *       others.
 *   <li>Level 0 at its trigger: the oldest slice, all of level 0 that hangs together with it by
 *       overlap, and what that overlaps in the newest run of level 1, are merged into that run.
 *   <li>Groups that reads asked for become real tables where they lie. A reader waits for them, so
 *       only level 0 and what is fuller, which hold up writers, come first. Not of leveled.
 *   <li>A deeper level of several runs, left by another policy: the newer runs are folded into the
 *       oldest, cluster by cluster.
 *   <li>A level over its target: the slice that overlaps the least of the next level for its own
 *       size, then the oldest, is merged into it.
 *   <li>Small neighbours are joined in place.
 *   <li>Tables of which little is still in use are freed while they pin too much space. Not of
 *       leveled.
 * </ol>
 *
 * <p>In each, what overlaps nothing moves. Shallow levels come first but for that. Runs in the
 * making are ordinary runs here.
 *
 * <p>A level merge takes whole segments, but not the other segments of their groups: those share
 * tables, not ranks.
 *
 * <p>Under {@link MergeRule#FREE} tables are whole. A delay changes their level, and tables of one
 * level may lie over each other; a table goes down together with the tables of the next level that
 * it overlaps, not with what those overlap in turn, and what counts is how many of them lie over
 * one key. A table that is due for a merge and lies over others of its own level is first merged
 * with those. Besides, see {@link Stacks}, no more than {@code vct} tables of all levels lie over
 * one key, and what lies over the largest run is merged with it once it is a share of that run's
 * bytes.
 */
final class DelayedPolicy implements WishingPolicy {

  /** Parents that no segment has: leveled, which neither hears reads nor bounds what is pinned. */
  static final int NEVER = Integer.MAX_VALUE;

  private final int vct;
  private final int vsmt;
  private final long maxPinnedThousandths;
  private final long maxOverlapThousandths;
  private final Descent descent;
  private final MergeLimits limits;

  /**
   * Delayed, or leveled where nothing is put off.
   *
   * @param descent how levels grow, and below how many tables a merge is put off
   * @param vsmt parents from which on a segment that a read meets is merged, at least 2
   * @param maxPinnedThousandths bytes that are on disk but in no slice, in thousandths of those
   *     that are, above which tables are freed
   * @param maxOverlapThousandths where tables are whole: bytes that lie over the largest run, in
   *     thousandths of its own, above which they are merged with it; 0 means any
   */
  DelayedPolicy(Descent descent, int vsmt, long maxPinnedThousandths, long maxOverlapThousandths) {
    this.vct = descent.vct();
    this.vsmt = vsmt;
    this.maxPinnedThousandths = maxPinnedThousandths;
    this.maxOverlapThousandths = maxOverlapThousandths;
    this.descent = descent;
    this.limits = descent.limits();
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    Layout layout = new Layout(shape);
    Optional<Plan> plan = Wish.first(wishes(layout, budget.boundBytes()), budget);
    return plan.isPresent() ? plan : descent.shrunk(layout, budget);
  }

  @Override
  public int mergeOnRead() {
    return vct <= 1 ? NEVER : vsmt;
  }

  @Override
  public Backlog backlog(Shape shape) {
    return Wish.backlog(wishes(new Layout(shape.unclaimed()), Long.MAX_VALUE));
  }

  @Override
  public MergeLimits limits() {
    return limits;
  }

  @Override
  public Stream<Wish> wishes(Layout layout, long transientBytes) {
    return Wish.inTurn(
        List.of(
            () -> Deletions.wishes(layout),
            () -> descent.overfull(layout, transientBytes),
            () -> descent.levelZero(layout),
            () -> vsmt < NEVER ? new Requests(layout, limits).wishes() : Stream.of(),
            () -> loose(layout) ? new Stacks(layout, limits).tooDeep(vct) : Stream.of(),
            () -> descent.deeper(layout, transientBytes),
            () ->
                loose(layout)
                    ? new Stacks(layout, limits)
                        .overlapping(maxOverlapThousandths, descent.targetBytes(1))
                    : Stream.of(),
            () -> Renewal.ofEnded(layout, limits),
            () -> SmallTables.wishes(layout, limits, SmallTables.LEAST_STRETCH),
            () ->
                vsmt < NEVER
                    ? new PinnedSpace(layout, limits, maxPinnedThousandths).wishes()
                    : Stream.of()));
  }

  private boolean loose(Layout layout) {
    return Entrance.loose(layout, vct);
  }
}
