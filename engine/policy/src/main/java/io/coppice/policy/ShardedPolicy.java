// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
 * A range sees of a table what others do not show, so that it takes nothing for pinned that is in
 * use there.
 *
 * <p>Under {@link MergeRule#FREE} tables are whole. There a segment belongs where it begins, and
 * plans name levels, not runs, as two ranges may meet in a table across their end.
 *
 * <p>A major compaction, and what is rewritten by name, know no ranges.
 */
final class ShardedPolicy implements Policy {

  /** Stands for a shard whose range ends with a later one, or that is empty. */
  private static final int NONE = Integer.MIN_VALUE;

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
    int[] highs = highs(shape);
    Optional<Plan> plan = Wish.first(cuts(layout, highs).stream(), budget);
    if (plan.isPresent()) {
      return plan;
    }
    @Nullable Shape[] parts = parts(shape, highs, layout.adjacent());
    for (int i = mostFlushes(parts); i >= 0 && plan.isEmpty(); i = mostFlushes(parts)) {
      plan = rungs.get(i).next(parts[i], budget);
      parts[i] = null;
    }
    if (plan.isPresent() && !layout.adjacent() && plan.get() instanceof Plan.Placing placing) {
      return Optional.of(whole(layout, placing));
    }
    return plan;
  }

  /** A plan of a part as one of the whole, which may have other runs and so another order. */
  private static Plan whole(Layout layout, Plan.Placing plan) {
    Set<Long> named = new HashSet<>(plan.slices());
    List<Long> slices = new ArrayList<>();
    for (Layout.PlacedRun run : layout.runs()) {
      for (Placed slice : run.slices()) {
        if (named.contains(slice.facts().slice())) {
          slices.add(slice.facts().slice());
        }
      }
    }
    return plan.with(slices, Target.newest(plan.target().level()));
  }

  /** The index of the part with the most flushes, of equal ones the first; -1 if none is left. */
  private static int mostFlushes(@Nullable Shape[] parts) {
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
    Backlog all = Wish.backlog(cuts(new Layout(free), highs).stream());
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

  /** The highest rank of each range, at the last of its shards. */
  private int[] highs(Shape shape) {
    int[] ends = Shards.ends(shape, rungs.size());
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
   * What lies in each range; null where none ends.
   *
   * @param cut true if a segment across an end is left to nobody until it is cut; else it belongs
   *     where it begins
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
    List<Shape.Job> jobs = new ArrayList<>();
    for (Shape.Job job : shape.jobs()) {
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
        for (SegmentFacts segment : run.over(low, high)) {
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

  /** How many bytes of tables are shown beside a range. */
  private static Map<Long, Long> elsewhere(Shape shape, int low, int high) {
    Map<Long, Long> bytes = new HashMap<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (int i = 0; run.hasParts() && i < run.segments().size(); i++) {
          if (run.high(i) < low || run.low(i) > high) {
            for (TableFacts slice : run.segments().get(i).slices()) {
              bytes.put(slice.table(), bytes.getOrDefault(slice.table(), 0L) + slice.bytes());
            }
          }
        }
      }
    }
    return bytes;
  }

  /**
   * The runs of a level's tables where those that begin before them do not count, by first fit as
   * hosts draw them: what such a table held apart would seem to overlap.
   */
  private static List<RunFacts> drawn(List<SegmentFacts> tables) {
    Shards.sortByLow(tables);
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

  /** What brings free segments to one side of each end. */
  private static List<Wish> cuts(Layout layout, int[] highs) {
    List<Wish> cuts = new ArrayList<>();
    for (int high : highs) {
      if (!layout.adjacent() || high == NONE || high == Integer.MAX_VALUE) {
        continue;
      }
      for (Layout.PlacedRun run : layout.runs()) {
        for (SegmentFacts segment : run.facts().over(high, high)) {
          if (segment.high() > high && !segment.claimed()) {
            Reason reason =
                Reason.of(
                    "shard-ends",
                    "a shard ends inside a segment of L{level}",
                    "level",
                    run.level());
            Target own = Target.join(run.level(), run.id());
            long after = endingAt(layout, high);
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
}
