// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.ReadTerms;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.ShardBounds;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Separate rungs for key ranges. Each rung plans for its {@link ShardBounds} as if nothing else
 * existed. Adjacent shards of one rung form one range, so equal rungs plan as one. Coppice's own
 * policy.
 *
 * <ol>
 *   <li>A segment that crosses a range bound is cut there by metadata alone. Until the cut is
 *       possible, both ranges leave the segment alone.
 *   <li>The range with the most flushes is asked first. Its plan stays inside the range, so it
 *       cannot pass or overlap slices of other ranges.
 * </ol>
 *
 * A range sees a table without the parts that slices outside the range show. It therefore does not
 * count those parts as pinned.
 *
 * <p>Under {@link MergeRule#FREE} tables are whole. A segment then belongs to the range where it
 * begins, and plans name levels, not runs, because two ranges may share a table across their bound.
 *
 * <p>Major compactions and rewrites of named slices ignore ranges. Immutable.
 */
public final class ShardedPolicy implements Policy {

  /**
   * Value for a missing bound: of an empty shard, of a shard whose range ends with a later shard,
   * and of an open low end.
   */
  private static final int NONE = Integer.MIN_VALUE;

  private final List<Policy> rungs;

  /**
   * Creates a policy of several rungs.
   *
   * @param rungs the rung of each shard, the lowest keys first; shards of one range share the
   *     object
   */
  public ShardedPolicy(List<Policy> rungs) {
    this.rungs = List.copyOf(rungs);
  }

  @Override
  public int mergeOnRead() {
    return granting().mergeOnRead();
  }

  @Override
  public ReadTerms readTerms() {
    return granting().readTerms();
  }

  @Override
  public Set<Long> requestsThatFit(Shape shape, long transientBytes) {
    return granting().requestsThatFit(shape, transientBytes);
  }

  /** Returns the first rung with the least {@link #mergeOnRead}. */
  private Policy granting() {
    return Collections.min(rungs, Comparator.comparingInt(Policy::mergeOnRead));
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    PlanningView view = new PlanningView(shape);
    int[] highs = highs(shape);
    Optional<Plan> plan = CandidatePlan.first(cuts(view, highs).stream(), budget);
    if (plan.isPresent()) {
      return plan;
    }
    @Nullable Shape[] parts = parts(shape, highs, view.adjacent());
    for (int i = maxFlushes(parts); i >= 0 && plan.isEmpty(); i = maxFlushes(parts)) {
      plan = rungs.get(i).next(parts[i], budget);
      parts[i] = null;
    }
    if (plan.isPresent() && !view.adjacent() && plan.get() instanceof Plan.Placing placing) {
      return Optional.of(whole(view, placing));
    }
    return plan;
  }

  /**
   * Returns the plan of a range as a plan of the whole shape, whose runs and order of slices may
   * differ.
   */
  private static Plan whole(PlanningView view, Plan.Placing plan) {
    Set<Long> named = new HashSet<>(plan.slices());
    List<Long> slices = new ArrayList<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      for (PlacedSlice slice : run.slices()) {
        if (named.contains(slice.facts().slice())) {
          slices.add(slice.facts().slice());
        }
      }
    }
    return plan.with(slices, Target.newest(plan.target().level()));
  }

  /**
   * Returns the index of the range with the most flushes, the first of equals; -1 if none is left.
   *
   * @param parts contents of the ranges; null for none, or for a range already asked
   */
  private static int maxFlushes(@Nullable Shape[] parts) {
    int found = -1;
    int most = -1;
    for (int i = 0; i < parts.length; i++) {
      int flushes = parts[i] == null ? -1 : parts[i].levels().get(0).runs().size();
      if (flushes > most) {
        most = flushes;
        found = i;
      }
    }
    return found;
  }

  @Override
  public Backlog backlog(Shape shape) {
    Shape free = shape.unclaimed();
    int[] highs = highs(free);
    @Nullable Shape[] parts = parts(free, highs, false);
    Backlog all = CandidatePlan.backlog(cuts(new PlanningView(free), highs).stream());
    for (int i = 0; i < parts.length; i++) {
      Backlog own = parts[i] == null ? Backlog.NONE : rungs.get(i).backlog(parts[i]);
      if (all.plans() == 0) {
        all = own;
      } else if (own.plans() > 0) {
        long headroom = Math.min(all.headroomBytes(), own.headroomBytes());
        all = new Backlog(all.bytes() + own.bytes(), all.plans() + own.plans(), headroom);
      }
    }
    return all;
  }

  @Override
  public Optional<Plan> everything(Shape shape, Budget budget) {
    return rungs.get(0).everything(shape, budget);
  }

  @Override
  public Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
    return rungs.get(0).rewrite(shape, slices, budget);
  }

  /**
   * Returns the highest rank of each range, at the index of its last shard; {@link #NONE} at other
   * indexes.
   */
  private int[] highs(Shape shape) {
    int[] ends = ShardBounds.ends(shape, rungs.size());
    int[] highs = new int[rungs.size()];
    Arrays.fill(highs, NONE);
    int low = NONE;
    for (int i = 0; i < highs.length; i++) {
      if (i == ends.length || ends[i] == Integer.MAX_VALUE) {
        highs[i] = Integer.MAX_VALUE;
        break;
      }
      if (ends[i] >= low && rungs.get(i) != rungs.get(i + 1)) {
        highs[i] = ends[i];
        low = ends[i] + 1;
      }
    }
    return highs;
  }

  /**
   * Returns the contents of each range at the index of its last shard, and null elsewhere.
   *
   * @param highs result of {@link #highs}
   * @param cut whether a segment across a bound belongs to no range until it is cut; otherwise it
   *     belongs to the range where it begins
   */
  private static @Nullable Shape[] parts(Shape shape, int[] highs, boolean cut) {
    @Nullable Shape[] parts = new Shape[highs.length];
    int low = NONE;
    for (int i = 0; i < highs.length; i++) {
      if (highs[i] != NONE) {
        parts[i] = part(shape, low, highs[i], cut);
        low = highs[i] + 1;
      }
    }
    return parts;
  }

  private static Shape part(Shape shape, int low, int high, boolean cut) {
    if (low == NONE && high == Integer.MAX_VALUE) {
      return shape;
    }
    Set<Long> awaited = new HashSet<>();
    List<Shape.RunningPlan> jobs = new ArrayList<>();
    for (Shape.RunningPlan job : shape.runningPlans()) {
      if (job.low() <= high && low <= job.high()) {
        jobs.add(job);
        awaited.add(job.run());
      }
    }
    Map<Long, Long> elsewhere = elsewhere(shape, low, high);
    List<LevelFacts> levels = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      List<RunFacts> runs = new ArrayList<>();
      List<SegmentFacts> begun = new ArrayList<>();
      boolean foreign = false;
      for (RunFacts run : level.runs()) {
        List<SegmentFacts> inside = new ArrayList<>();
        for (SegmentFacts segment : run.overlapping(low, high)) {
          boolean across = segment.low() < low || segment.high() > high;
          if (cut && across) {
            inside.add(segment.claimed(true));
          } else if (segment.low() >= low) {
            inside.add(run.hasParts() ? segment.besides(elsewhere) : segment);
          } else {
            foreign = shape.rule() == MergeRule.FREE;
          }
        }
        begun.addAll(inside);
        if (!inside.isEmpty() || awaited.contains(run.id())) {
          runs.add(new RunFacts(run.id(), inside, run.sources()));
        }
      }
      levels.add(new LevelFacts(foreign ? drawn(begun) : runs));
    }
    return new Shape(shape.rule(), levels, jobs, shape.requests());
  }

  /**
   * Returns the bytes, by table, that slices outside a range show.
   *
   * @param low the lowest rank of the range, inclusive
   * @param high the highest rank of the range, inclusive
   */
  private static Map<Long, Long> elsewhere(Shape shape, int low, int high) {
    Map<Long, Long> bytes = new HashMap<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (int i = 0; run.hasParts() && i < run.segments().size(); i++) {
          if (run.high(i) < low || run.low(i) > high) {
            for (SliceFacts slice : run.segments().get(i).slices()) {
              bytes.put(slice.table(), bytes.getOrDefault(slice.table(), 0L) + slice.bytes());
            }
          }
        }
      }
    }
    return bytes;
  }

  /**
   * Returns the runs that the tables of a level and a range form by first fit, as hosts form runs.
   * The runs of the whole shape also depend on the tables that begin before the range.
   */
  private static List<RunFacts> drawn(List<SegmentFacts> tables) {
    ShardBounds.sortByLow(tables);
    List<List<SegmentFacts>> drawn = new ArrayList<>();
    for (SegmentFacts table : tables) {
      int fit = 0;
      while (fit < drawn.size()
          && drawn.get(fit).get(drawn.get(fit).size() - 1).high() >= table.low()) {
        fit++;
      }
      if (fit == drawn.size()) {
        drawn.add(new ArrayList<>());
      }
      drawn.get(fit).add(table);
    }
    List<RunFacts> runs = new ArrayList<>();
    for (List<SegmentFacts> run : drawn) {
      runs.add(new RunFacts(runs.size(), run, Set.of()));
    }
    return runs;
  }

  /** Returns cuts of unclaimed segments at each range bound that they cross. */
  private static List<CandidatePlan> cuts(PlanningView view, int[] highs) {
    List<CandidatePlan> cuts = new ArrayList<>();
    for (int high : highs) {
      if (!view.adjacent() || high == NONE || high == Integer.MAX_VALUE) {
        continue;
      }
      for (PlanningView.PlacedRun run : view.runs()) {
        for (SegmentFacts segment : run.facts().overlapping(high, high)) {
          if (segment.high() > high && !segment.claimed()) {
            Reason reason =
                Reason.ofNumbers(
                    "shard-ends", "a shard ends inside a segment of L{level}", run.level());
            Target own = Target.join(run.level(), run.id());
            long after = endingAt(view, high);
            cuts.add(CandidatePlan.cut(view, run.slices(segment), own, after, reason));
          }
        }
      }
    }
    return cuts;
  }

  /**
   * Returns the id of a slice that ends at the rank; the bounds of {@link ShardBounds} are always
   * such ranks.
   */
  private static long endingAt(PlanningView view, int rank) {
    for (PlanningView.PlacedRun run : view.runs()) {
      for (PlacedSlice slice : run.overlapping(rank, rank)) {
        if (slice.high() == rank) {
          return slice.facts().slice();
        }
      }
    }
    throw new AssertionError("no slice ends at rank " + rank);
  }
}
