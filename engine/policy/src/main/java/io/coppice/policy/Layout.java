// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A Shape laid out for planning: all runs in one row, by level and then newest first, which under
 * {@link MergeRule#ADJACENT} is the order of age. Immutable.
 *
 * <p>A <em>filling</em> is a run in the making with the sources that can still reach it. Under
 * ADJACENT those are the sources that stand next to it in the row, other sources apart from it only
 * by sources or empty runs: a plan could not carry the rest past their neighbours. A filling whose
 * run is itself a source of a deeper filling is given up; its slices go on with that one.
 */
final class Layout {

  /**
   * A run and its place in the row.
   *
   * @param place 0 for the newest
   */
  record PlacedRun(int place, int level, RunFacts facts) {
    boolean isEmpty() {
      return facts.segments().isEmpty();
    }

    /** By ascending rank; inside a segment newest first. */
    List<Placed> slices() {
      List<Placed> slices = new ArrayList<>(facts.segments().size());
      for (SegmentFacts segment : facts.segments()) {
        Placed.add(segment, place, level, slices);
      }
      return slices;
    }

    /** The slices that reach into the ranks, both inclusive; a segment is taken whole. */
    List<Placed> over(int low, int high) {
      List<Placed> over = new ArrayList<>();
      for (SegmentFacts segment : facts.over(low, high)) {
        over.addAll(place(segment));
      }
      return over;
    }

    long id() {
      return facts.id();
    }

    /** The slices of one of its segments, newest first. */
    List<Placed> place(SegmentFacts segment) {
      return Placed.of(segment, place, level);
    }
  }

  /**
   * A run in the making.
   *
   * @param sources newest first, none empty, at least one
   */
  record Filling(PlacedRun run, List<PlacedRun> sources) {}

  private final Shape shape;
  private final List<PlacedRun> runs;
  private final int[] firstOfLevel;
  private final List<Filling> fillings;
  private final Set<Integer> unsettled = new HashSet<>();

  Layout(Shape shape) {
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
    fillings = List.copyOf(findFillings());
    noteUnsettled();
  }

  Shape shape() {
    return shape;
  }

  boolean adjacent() {
    return shape.rule() == MergeRule.ADJACENT;
  }

  int levels() {
    return shape.levels().size();
  }

  /** All runs, newest first. */
  List<PlacedRun> runs() {
    return runs;
  }

  /** The runs of a level, newest first; none for a level that the Shape does not have. */
  List<PlacedRun> runs(int level) {
    return level < levels()
        ? runs.subList(firstOfLevel[level], firstOfLevel[level + 1])
        : List.of();
  }

  /** The runs of a level that hold something, newest first. */
  List<PlacedRun> filledRuns(int level) {
    return filled(runs(level));
  }

  /** All runs that hold something, newest first. */
  List<PlacedRun> filledRuns() {
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
   * The complete runs of a level from the oldest on, newest first. Under ADJACENT the first run
   * that is in the making, or feeds one, ends them: nothing newer may overtake it.
   */
  List<PlacedRun> oldestComplete(int level) {
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

  /** Runs in the making, shallowest first, in a level the older one first. */
  List<Filling> fillings() {
    return fillings;
  }

  /** True for a run that is neither in the making, nor a source, nor awaiting outputs of a job. */
  boolean settled(PlacedRun run) {
    return !unsettled.contains(run.place());
  }

  static List<Placed> slicesOf(List<PlacedRun> runs) {
    List<Placed> slices = new ArrayList<>();
    for (PlacedRun run : runs) {
      slices.addAll(run.slices());
    }
    return slices;
  }

  /**
   * The place in the row where a target stands, in half steps: run p stands at 2p + 1, a new run
   * just before the first of its level. A join of an unknown run counts as a new one.
   */
  int position(int level, long run) {
    for (PlacedRun known : runs(level)) {
      if (known.id() == run) {
        return position(known.place());
      }
    }
    return 2 * firstOfLevel[Math.min(level, levels())];
  }

  static int position(int place) {
    return 2 * place + 1;
  }

  private List<Filling> findFillings() {
    List<Filling> found = new ArrayList<>();
    Set<Integer> taken = new HashSet<>();
    for (int place = runs.size() - 1; place >= 0; place--) {
      PlacedRun run = runs.get(place);
      if (run.facts().complete() || taken.contains(place)) {
        continue;
      }
      List<PlacedRun> sources = reachableSources(run);
      if (!sources.isEmpty()) {
        found.add(new Filling(run, sources));
        for (PlacedRun source : sources) {
          taken.add(source.place());
        }
      }
    }
    // Found deepest first; within a level the older run stands later in the row.
    List<Filling> ordered = new ArrayList<>();
    for (int level = 0; level < levels(); level++) {
      for (Filling filling : found) {
        if (filling.run().level() == level) {
          ordered.add(filling);
        }
      }
    }
    return ordered;
  }

  private List<PlacedRun> reachableSources(PlacedRun run) {
    Set<Long> named = run.facts().sources();
    int first = adjacent() ? run.place() : 0;
    int last = adjacent() ? run.place() : runs.size() - 1;
    while (adjacent() && first > 0 && passable(runs.get(first - 1), named)) {
      first--;
    }
    while (adjacent() && last + 1 < runs.size() && passable(runs.get(last + 1), named)) {
      last++;
    }
    List<PlacedRun> sources = new ArrayList<>();
    for (PlacedRun candidate : runs.subList(first, last + 1)) {
      if (candidate.place() != run.place()
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
    for (Filling filling : fillings) {
      unsettled.add(filling.run().place());
      for (PlacedRun source : filling.sources()) {
        unsettled.add(source.place());
      }
    }
    if (adjacent()) {
      for (Shape.Job job : shape.jobs()) {
        for (PlacedRun run : runs(job.level())) {
          if (run.id() == job.run()) {
            unsettled.add(run.place());
          }
        }
      }
    }
  }
}
