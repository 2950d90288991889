// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rungs of their own for ranges of keys: each plans for what lies in its {@link Shards}, as if
 * there were nothing else. Neighbours of one rung are one range, so equal rungs plan as one. Ours.
 *
 * <ol>
 *   <li>A segment that reaches across an end of a range is cut there, a change of metadata; until
 *       it can be, both ranges leave it alone.
 *   <li>The range with the most flushes is asked first. What it plans lies inside it, so it passes
 *       nothing that others see, and lays nothing where others have something.
 * </ol>
 *
 * Under {@link MergeRule#FREE} tables are whole. There a segment belongs where it begins, and plans
 * name levels, not runs, as two ranges may meet in a table across their end.
 *
 * <p>A major compaction, and what is rewritten by name, know no ranges.
 */
final class ShardedPolicy implements Policy {

  /** What lies in a range; the one with the most flushes comes first. */
  private static final class Part implements Comparable<Part> {
    final Policy policy;
    final int high;
    final Shape shape;

    Part(Policy policy, int high, Shape shape) {
      this.policy = policy;
      this.high = high;
      this.shape = shape;
    }

    @Override
    public int compareTo(Part other) {
      return Integer.compare(
          other.shape.levels().get(0).runs().size(), shape.levels().get(0).runs().size());
    }
  }

  private final List<Policy> rungs;

  /**
   * A policy of several.
   *
   * @param rungs of each shard, the lowest keys first; neighbours of one range are the same object
   */
  ShardedPolicy(List<Policy> rungs) {
    this.rungs = List.copyOf(rungs);
  }

  @Override
  public int mergeOnRead() {
    int least = Integer.MAX_VALUE;
    for (Policy rung : rungs) {
      least = Math.min(least, rung.mergeOnRead());
    }
    return least;
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    Layout layout = new Layout(shape);
    List<Part> parts = parts(shape);
    Optional<Plan> cut = Wish.first(cuts(layout, parts).stream(), budget);
    if (cut.isPresent()) {
      return cut;
    }
    for (Part part : parts) {
      Optional<Plan> plan = part.policy.next(part.shape, budget);
      if (plan.isPresent()) {
        return Optional.of(whole(layout, plan.get()));
      }
    }
    return Optional.empty();
  }

  @Override
  public Backlog backlog(Shape shape) {
    Shape free = shape.unclaimed();
    List<Part> parts = parts(free);
    Backlog all = Wish.backlog(cuts(new Layout(free), parts).stream());
    for (Part part : parts) {
      Backlog own = part.policy.backlog(part.shape);
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

  /** The ranges, the one with the most flushes first. */
  private List<Part> parts(Shape shape) {
    int[] ends = Shards.ends(shape, rungs.size());
    List<Part> parts = new ArrayList<>();
    int low = Integer.MIN_VALUE;
    for (int i = 0; i < rungs.size(); i++) {
      boolean last = i == ends.length || ends[i] == Integer.MAX_VALUE;
      if (last) {
        parts.add(part(rungs.get(i), low, Integer.MAX_VALUE, shape));
        break;
      }
      if (ends[i] >= low && rungs.get(i) != rungs.get(i + 1)) {
        parts.add(part(rungs.get(i), low, ends[i], shape));
        low = ends[i] + 1;
      }
    }
    Collections.sort(parts);
    return parts;
  }

  private static Part part(Policy policy, int low, int high, Shape shape) {
    if (low == Integer.MIN_VALUE && high == Integer.MAX_VALUE) {
      return new Part(policy, high, shape);
    }
    Set<Long> awaited = new HashSet<>();
    List<Shape.Job> jobs = new ArrayList<>();
    for (Shape.Job job : shape.jobs()) {
      if (job.low() <= high && low <= job.high()) {
        jobs.add(job);
        awaited.add(job.run());
      }
    }
    boolean cut = shape.rule() == MergeRule.ADJACENT;
    List<LevelFacts> levels = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      List<RunFacts> runs = new ArrayList<>();
      for (RunFacts run : level.runs()) {
        List<SegmentFacts> inside = new ArrayList<>();
        for (SegmentFacts segment : run.over(low, high)) {
          boolean across = segment.low() < low || segment.high() > high;
          if (cut) {
            inside.add(across ? segment.claimed(true) : segment);
          } else if (segment.low() >= low) {
            inside.add(segment);
          }
        }
        if (!inside.isEmpty() || awaited.contains(run.id())) {
          runs.add(new RunFacts(run.id(), inside, run.sources()));
        }
      }
      levels.add(new LevelFacts(runs));
    }
    return new Part(policy, high, new Shape(shape.rule(), levels, jobs, shape.requests()));
  }

  /** What brings free segments to one side of each end. */
  private static List<Wish> cuts(Layout layout, List<Part> parts) {
    List<Wish> cuts = new ArrayList<>();
    for (Part part : parts) {
      if (!layout.adjacent() || part.high == Integer.MAX_VALUE) {
        continue;
      }
      for (Layout.PlacedRun run : layout.runs()) {
        for (SegmentFacts segment : run.facts().over(part.high, part.high)) {
          if (segment.high() > part.high && !segment.claimed()) {
            Reason reason =
                Reason.of(
                    "shard-ends",
                    "a shard ends inside a segment of L{level}",
                    "level",
                    run.level());
            Target own = Target.join(run.level(), run.id());
            long after = endingAt(layout, part.high);
            cuts.add(Wish.cut(layout, run.place(segment), own, after, reason));
          }
        }
      }
    }
    return cuts;
  }

  /** A slice that ends there. */
  private static long endingAt(Layout layout, int rank) {
    for (Layout.PlacedRun run : layout.runs()) {
      for (Placed slice : run.over(rank, rank)) {
        if (slice.high() == rank) {
          return slice.facts().slice();
        }
      }
    }
    throw new AssertionError("no slice ends at rank " + rank);
  }

  /** A plan of a part as one of the whole. */
  private static Plan whole(Layout layout, Plan plan) {
    if (layout.adjacent() || !(plan instanceof Plan.Placing placing)) {
      return plan;
    }
    return placing.to(Target.newest(placing.target().level(), placing.target().sources()));
  }
}
