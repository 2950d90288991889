// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.TableFacts;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;

/**
 * Draws a {@link Shape} from the outlines of one snapshot of SSTables.
 *
 * <p>The level of an SSTable is known, its run is not: inside a level the SSTables are swept by
 * first key and each joins the first run that ends before it starts (greedy colouring of
 * intervals), so there are exactly as many runs as SSTables overlap at the busiest key; also in
 * level 0, where flushes that do not overlap are one run.
 *
 * <p>The rule is {@link MergeRule#FREE}, since cells carry timestamps, and no run is ever in the
 * making: what a plan has left undone shows in levels and overlaps alone, also after a restart.
 * Runs are listed by their youngest SSTable, youngest first.
 */
final class ShapeBuilder {

  /** Cassandra's leveled strategy asserts levels below 9, and an operator may return to it. */
  static final int DEEPEST_LEVEL = 8;

  /**
   * A plan under way.
   *
   * @param level the level its outputs will have
   * @param inputs the ids of the SSTables it uses
   */
  record Job(int level, Set<Long> inputs) {

    /** Copies the set. */
    Job {
      inputs = Set.copyOf(inputs);
    }
  }

  private ShapeBuilder() {}

  /**
   * Draws the Shape; slices and tables carry the ids of the outlines.
   *
   * @param outlines all SSTables that may be planned or are being compacted, ids unique
   */
  static <K extends Comparable<? super K>> Shape draw(List<Outline<K>> outlines, List<Job> jobs) {
    return draw(outlines, jobs, Set.of());
  }

  /**
   * Draws the Shape with what reads asked for.
   *
   * @param requests ids of outlines, see {@link Shape#requests}
   */
  static <K extends Comparable<? super K>> Shape draw(
      List<Outline<K>> outlines, List<Job> jobs, Set<Long> requests) {
    Map<K, Integer> ranks = ranks(outlines);
    TreeMap<Integer, List<Outline<K>>> byLevel = new TreeMap<>();
    for (Outline<K> outline : outlines) {
      byLevel.computeIfAbsent(outline.level(), level -> new ArrayList<>()).add(outline);
    }
    int deepest = byLevel.isEmpty() ? 0 : byLevel.lastKey();
    List<LevelFacts> levels = new ArrayList<>();
    long runs = 0;
    for (int level = 0; level <= deepest; level++) {
      List<RunFacts> facts = new ArrayList<>();
      List<Outline<K>> members = byLevel.getOrDefault(level, List.of());
      for (List<Outline<K>> run : colour(members)) {
        facts.add(facts(++runs, run, ranks));
      }
      levels.add(new LevelFacts(facts));
    }
    return new Shape(MergeRule.FREE, levels, jobs(outlines, jobs, ranks), requests);
  }

  /**
   * Splits SSTables into the least number of runs, all levels alike.
   *
   * @return runs in the order in which they were opened, each by ascending key
   */
  static <K extends Comparable<? super K>> List<List<Outline<K>>> colour(
      List<Outline<K>> outlines) {
    List<Outline<K>> sorted = new ArrayList<>(outlines);
    sorted.sort(
        Comparator.comparing((Outline<K> outline) -> outline.first())
            .thenComparingLong(Outline::id));
    List<List<Outline<K>>> runs = new ArrayList<>();
    // Thousands may overlap, so no outline looks at every run: those that end before the key that
    // the sweep has come to wait by number, the others by where they end.
    PriorityQueue<Integer> ended = new PriorityQueue<>();
    PriorityQueue<Integer> open =
        new PriorityQueue<>(Comparator.comparing((Integer run) -> last(runs.get(run)).last()));
    for (Outline<K> outline : sorted) {
      while (!open.isEmpty() && last(runs.get(open.peek())).last().compareTo(outline.first()) < 0) {
        ended.add(open.remove());
      }
      int home = ended.isEmpty() ? runs.size() : ended.remove();
      if (home == runs.size()) {
        runs.add(new ArrayList<>());
      }
      runs.get(home).add(outline);
      open.add(home);
    }
    return runs;
  }

  /**
   * How many runs {@link #colour} makes: the most SSTables that lie over one key.
   *
   * @param outlines by ascending first key
   */
  static <K extends Comparable<? super K>> int depth(List<Outline<K>> outlines) {
    List<K> ends = new ArrayList<>(outlines.size());
    outlines.forEach(outline -> ends.add(outline.last()));
    ends.sort(Comparator.naturalOrder());
    int depth = 0;
    int ended = 0;
    for (int begun = 1; begun <= ends.size(); begun++) {
      while (ends.get(ended).compareTo(outlines.get(begun - 1).first()) < 0) {
        ended++;
      }
      depth = Math.max(depth, begun - ended);
    }
    return depth;
  }

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }

  /** The rank of each of the ends, as objects: keys that are equal have equal ranks. */
  private static <K extends Comparable<? super K>> Map<K, Integer> ranks(
      List<Outline<K>> outlines) {
    List<K> ends = new ArrayList<>(2 * outlines.size());
    for (Outline<K> outline : outlines) {
      ends.add(outline.first());
      ends.add(outline.last());
    }
    ends.sort(Comparator.naturalOrder());
    Map<K, Integer> ranks = new IdentityHashMap<>(ends.size());
    int rank = 0;
    for (int i = 0; i < ends.size(); i++) {
      if (i > 0 && ends.get(i - 1).compareTo(ends.get(i)) < 0) {
        rank++;
      }
      ranks.put(ends.get(i), rank);
    }
    return ranks;
  }

  private static <K extends Comparable<? super K>> RunFacts facts(
      long run, List<Outline<K>> members, Map<K, Integer> ranks) {
    List<SegmentFacts> segments = new ArrayList<>();
    for (Outline<K> member : members) {
      TableFacts facts =
          new TableFacts(
              member.id(),
              member.id(),
              ranks.get(member.first()),
              ranks.get(member.last()),
              member.bytes(),
              member.entries(),
              member.tombstones(),
              member.bytes(),
              member.claimed());
      segments.add(SegmentFacts.of(facts));
    }
    return new RunFacts(run, segments, Set.of());
  }

  private static <K extends Comparable<? super K>> List<Shape.Job> jobs(
      List<Outline<K>> outlines, List<Job> jobs, Map<K, Integer> ranks) {
    Map<Long, Outline<K>> byId = new HashMap<>();
    for (Outline<K> outline : outlines) {
      byId.put(outline.id(), outline);
    }
    List<Shape.Job> facts = new ArrayList<>();
    for (Job job : jobs) {
      int low = Integer.MAX_VALUE;
      int high = Integer.MIN_VALUE;
      for (long input : job.inputs()) {
        Outline<K> outline = byId.get(input);
        if (outline != null) {
          low = Math.min(low, ranks.get(outline.first()));
          high = Math.max(high, ranks.get(outline.last()));
        }
      }
      if (low <= high) {
        facts.add(new Shape.Job(job.level(), Target.NEW_RUN, low, high));
      }
    }
    return facts;
  }
}
