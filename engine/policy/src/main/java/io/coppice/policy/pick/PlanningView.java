// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Shape indexed for planning: the runs of all levels in one sequence, by level and then newest
 * first. Under {@link MergeRule#ADJACENT} this is the age order. Used by one thread.
 *
 * <p>An incomplete run is listed with the sources that can still reach it. Under ADJACENT these are
 * the sources with only other sources or empty runs between them and the run. Slices of the
 * remaining sources would have to pass their neighbors. An incomplete run that is itself a source
 * of a deeper incomplete run is not listed; the deeper one takes its slices along.
 */
public final class PlanningView {

  /**
   * A run and its position in the sequence of all runs.
   *
   * @param ageIndex position in the sequence, 0 for the newest
   */
  public record PlacedRun(int ageIndex, int level, RunFacts facts) {
    boolean isEmpty() {
      return facts.segments().isEmpty();
    }

    /** Returns the slices by ascending rank; inside a segment newest first. */
    public List<PlacedSlice> slices() {
      List<PlacedSlice> slices = new ArrayList<>(facts.segments().size());
      for (SegmentFacts segment : facts.segments()) {
        PlacedSlice.add(segment, ageIndex, level, slices);
      }
      return slices;
    }

    /**
     * Returns the slices whose segments overlap the ranks {@code low} to {@code high}, both
     * inclusive, by ascending rank; inside a segment newest first.
     */
    public List<PlacedSlice> overlapping(int low, int high) {
      List<PlacedSlice> over = new ArrayList<>();
      for (SegmentFacts segment : facts.overlapping(low, high)) {
        over.addAll(slices(segment));
      }
      return over;
    }

    public long id() {
      return facts.id();
    }

    /** Returns the slices of a segment of this run, newest first. */
    public List<PlacedSlice> slices(SegmentFacts segment) {
      return PlacedSlice.of(segment, ageIndex, level);
    }
  }

  /**
   * Incomplete run with the sources that can still reach it.
   *
   * @param sources the runs that still feed it, newest first, none empty, at least one
   */
  public record IncompleteRun(PlacedRun run, List<PlacedRun> sources) {}

  private final Shape shape;
  private final List<PlacedRun> runs;
  private final int[] firstOfLevel;
  private final List<IncompleteRun> incompleteRuns;
  private final Set<Integer> unsettled = new HashSet<>();
  private @Nullable HiddenBytes hiddenBytes;

  public PlanningView(Shape shape) {
    this.shape = shape;
    List<PlacedRun> row = new ArrayList<>();
    firstOfLevel = new int[shape.levels().size() + 1];
    for (int level = 0; level < shape.levels().size(); level++) {
      firstOfLevel[level] = row.size();
      for (RunFacts run : shape.levels().get(level).runs()) {
        row.add(new PlacedRun(row.size(), level, run));
      }
    }
    firstOfLevel[shape.levels().size()] = row.size();
    runs = List.copyOf(row);
    incompleteRuns = List.copyOf(findFillings());
    noteUnsettled();
  }

  public Shape shape() {
    return shape;
  }

  /** Returns the bytes that deletions occupy and hide, computed at the first call. */
  public HiddenBytes hiddenBytes() {
    HiddenBytes known = hiddenBytes;
    if (known == null) {
      known = new HiddenBytes(this);
      hiddenBytes = known;
    }
    return known;
  }

  public boolean adjacent() {
    return shape.rule() == MergeRule.ADJACENT;
  }

  public int levels() {
    return shape.levels().size();
  }

  /** Returns all runs, empty ones included, level by level, in a level newest first. */
  public List<PlacedRun> runs() {
    return runs;
  }

  /** Returns the runs of a level, newest first; none for a level that the shape lacks. */
  public List<PlacedRun> runs(int level) {
    return level < levels()
        ? runs.subList(firstOfLevel[level], firstOfLevel[level + 1])
        : List.of();
  }

  /** Returns the nonempty runs of a level, newest first. */
  public List<PlacedRun> nonEmptyRuns(int level) {
    return filled(runs(level));
  }

  /** Returns all nonempty runs, newest first. */
  List<PlacedRun> nonEmptyRuns() {
    return filled(runs);
  }

  private static List<PlacedRun> filled(List<PlacedRun> runs) {
    List<PlacedRun> filled = new ArrayList<>(runs.size());
    for (PlacedRun run : runs) {
      if (!run.isEmpty()) {
        filled.add(run);
      }
    }
    return filled;
  }

  /**
   * Returns the nonempty runs of a level that may be merged from the oldest on, newest first. They
   * are the runs that are {@link #settled}. Under ADJACENT the list ends before the first other
   * run, because no newer run may pass it.
   */
  public List<PlacedRun> oldestComplete(int level) {
    List<PlacedRun> complete = new ArrayList<>();
    List<PlacedRun> all = runs(level);
    for (int i = all.size() - 1; i >= 0; i--) {
      PlacedRun run = all.get(i);
      if (settled(run)) {
        if (!run.isEmpty()) {
          complete.add(0, run);
        }
      } else if (adjacent()) {
        break;
      }
    }
    return complete;
  }

  /**
   * Returns the incomplete runs that a merge can still continue, each with at least one source:
   * shallow levels first, within a level the older run first.
   */
  public List<IncompleteRun> incompleteRuns() {
    return incompleteRuns;
  }

  /**
   * Returns whether a run is settled: it is complete and feeds no other run. Under ADJACENT, a
   * running plan must not write to it either.
   */
  boolean settled(PlacedRun run) {
    return !unsettled.contains(run.ageIndex());
  }

  /** Returns the slices run by run in the given order; inside a run by ascending rank. */
  public static List<PlacedSlice> slicesOf(List<PlacedRun> runs) {
    List<PlacedSlice> slices = new ArrayList<>();
    for (PlacedRun run : runs) {
      slices.addAll(run.slices());
    }
    return slices;
  }

  /**
   * Returns the position of a target in the age order, in half steps. Run p has the position 2p +
   * 1. A new run has the even position before the first run of its level. An id that the level
   * lacks counts as a new run.
   */
  public int agePosition(int level, long run) {
    for (PlacedRun known : runs(level)) {
      if (known.id() == run) {
        return agePosition(known.ageIndex());
      }
    }
    return 2 * firstOfLevel[Math.min(level, levels())];
  }

  /**
   * Returns the position in the age order, in half steps, of the run with an index in {@link
   * #runs}.
   */
  public static int agePosition(int place) {
    return 2 * place + 1;
  }

  private List<IncompleteRun> findFillings() {
    List<IncompleteRun> found = new ArrayList<>();
    Set<Integer> taken = new HashSet<>();
    for (int place = runs.size() - 1; place >= 0; place--) {
      PlacedRun run = runs.get(place);
      if (run.facts().complete() || taken.contains(place)) {
        continue;
      }
      List<PlacedRun> sources = reachableSources(run);
      if (!sources.isEmpty()) {
        found.add(new IncompleteRun(run, sources));
        for (PlacedRun source : sources) {
          taken.add(source.ageIndex());
        }
      }
    }
    // The search finds deep runs first; within a level it finds the older run first.
    List<IncompleteRun> ordered = new ArrayList<>();
    for (int level = 0; level < levels(); level++) {
      for (IncompleteRun incomplete : found) {
        if (incomplete.run().level() == level) {
          ordered.add(incomplete);
        }
      }
    }
    return ordered;
  }

  private List<PlacedRun> reachableSources(PlacedRun run) {
    Set<Long> named = run.facts().sources();
    int first = adjacent() ? run.ageIndex() : 0;
    int last = adjacent() ? run.ageIndex() : runs.size() - 1;
    while (adjacent() && first > 0 && passable(runs.get(first - 1), named)) {
      first--;
    }
    while (adjacent() && last + 1 < runs.size() && passable(runs.get(last + 1), named)) {
      last++;
    }
    List<PlacedRun> sources = new ArrayList<>();
    for (PlacedRun candidate : runs.subList(first, last + 1)) {
      if (candidate.ageIndex() != run.ageIndex()
          && !candidate.isEmpty()
          && named.contains(candidate.id())) {
        sources.add(candidate);
      }
    }
    return List.copyOf(sources);
  }

  private static boolean passable(PlacedRun run, Set<Long> sources) {
    return run.isEmpty() || sources.contains(run.id());
  }

  private void noteUnsettled() {
    for (IncompleteRun incomplete : incompleteRuns) {
      unsettled.add(incomplete.run().ageIndex());
      for (PlacedRun source : incomplete.sources()) {
        unsettled.add(source.ageIndex());
      }
    }
    if (adjacent()) {
      for (Shape.RunningPlan job : shape.runningPlans()) {
        for (PlacedRun run : runs(job.level())) {
          if (run.id() == job.run()) {
            unsettled.add(run.ageIndex());
          }
        }
      }
    }
  }
}
