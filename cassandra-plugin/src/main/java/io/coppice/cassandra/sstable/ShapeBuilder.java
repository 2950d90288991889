// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import io.coppice.policy.step.DisjointRuns;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Builder of the {@link Shape} from the outlines of one snapshot of SSTables.
 *
 * <p>An SSTable records its level but belongs to no fixed run. The builder assigns the runs of each
 * level, level 0 included, by greedy coloring of intervals. In the order of first keys, each
 * SSTable joins the first run that ends before it starts. A level therefore has exactly as many
 * runs as SSTables overlap at its busiest key, and flushes that do not overlap form one run.
 *
 * <p>The rule is {@link MergeRule#FREE}, because cells carry timestamps. No run is ever incomplete:
 * unfinished work shows in levels and overlaps alone, also after a restart. Runs are listed in the
 * order of their first SSTables' keys.
 */
public final class ShapeBuilder {

  /**
   * The deepest level of an SSTable. Cassandra's leveled strategy asserts levels below 9, and an
   * operator may switch back to it.
   */
  public static final int DEEPEST_LEVEL = 8;

  /**
   * A running plan and its inputs.
   *
   * @param level the level of its outputs
   * @param inputs the ids of the SSTables that it uses
   */
  record Job(int level, Set<Long> inputs) {

    /** Copies the set of inputs. */
    Job {
      inputs = Set.copyOf(inputs);
    }
  }

  private ShapeBuilder() {}

  /**
   * Returns the shape of these SSTables, without merges requested by reads. Slices and tables have
   * the ids of the outlines.
   *
   * @param outlines all SSTables that may be planned or are being compacted, with unique ids, in
   *     any order
   * @param jobs the running plans; one without an input among the outlines is left out
   */
  public static <K extends Comparable<? super K>> Shape draw(
      List<SSTableOutline<K>> outlines, List<Job> jobs) {
    return draw(outlines, jobs, Set.of());
  }

  /**
   * Returns the shape of these SSTables, with the merges requested by reads.
   *
   * @param requests ids of outlines whose merge was requested by reads, see {@link Shape#requests}
   */
  public static <K extends Comparable<? super K>> Shape draw(
      List<SSTableOutline<K>> outlines, List<Job> jobs, Set<Long> requests) {
    Map<K, Integer> ranks = ranks(outlines);
    TreeMap<Integer, List<SSTableOutline<K>>> byLevel = new TreeMap<>();
    for (SSTableOutline<K> outline : outlines) {
      byLevel.computeIfAbsent(outline.level(), level -> new ArrayList<>()).add(outline);
    }
    int deepest = byLevel.isEmpty() ? 0 : byLevel.lastKey();
    List<LevelFacts> levels = new ArrayList<>();
    long runs = 0;
    for (int level = 0; level <= deepest; level++) {
      List<RunFacts> facts = new ArrayList<>();
      List<SSTableOutline<K>> members = byLevel.getOrDefault(level, List.of());
      for (List<SSTableOutline<K>> run : colour(members)) {
        facts.add(facts(++runs, run, ranks));
      }
      levels.add(new LevelFacts(facts));
    }
    return new Shape(MergeRule.FREE, levels, jobs(outlines, jobs, ranks), requests);
  }

  /**
   * Divides SSTables into the smallest number of runs, regardless of their levels.
   *
   * @return the runs in the order of their first SSTables' keys, each by ascending key
   */
  public static <K extends Comparable<? super K>> List<List<SSTableOutline<K>>> colour(
      List<SSTableOutline<K>> outlines) {
    List<SSTableOutline<K>> byId = new ArrayList<>(outlines);
    byId.sort(Comparator.comparingLong(SSTableOutline::id));
    return DisjointRuns.of(byId, SSTableOutline::first, SSTableOutline::last);
  }

  /**
   * Returns the overlap depth: the largest number of SSTables that overlap one key, which is the
   * number of runs that {@link #colour} makes.
   *
   * @param outlines by ascending first key, which is not checked
   */
  public static <K extends Comparable<? super K>> int depth(List<SSTableOutline<K>> outlines) {
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

  /**
   * Returns the rank of each first and last key, by object identity. Equal keys have equal ranks.
   */
  private static <K extends Comparable<? super K>> Map<K, Integer> ranks(
      List<SSTableOutline<K>> outlines) {
    List<K> ends = new ArrayList<>(2 * outlines.size());
    for (SSTableOutline<K> outline : outlines) {
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
      long run, List<SSTableOutline<K>> members, Map<K, Integer> ranks) {
    List<SegmentFacts> segments = new ArrayList<>();
    for (SSTableOutline<K> member : members) {
      SliceFacts facts =
          new SliceFacts(
              member.id(),
              member.id(),
              ranks.get(member.first()),
              ranks.get(member.last()),
              member.bytes(),
              member.entries(),
              member.tombstones(),
              member.bytes(),
              member.claimed(),
              0,
              member.hidden());
      segments.add(SegmentFacts.of(facts));
    }
    return new RunFacts(run, segments, Set.of());
  }

  private static <K extends Comparable<? super K>> List<Shape.RunningPlan> jobs(
      List<SSTableOutline<K>> outlines, List<Job> jobs, Map<K, Integer> ranks) {
    Map<Long, SSTableOutline<K>> byId = new HashMap<>();
    for (SSTableOutline<K> outline : outlines) {
      byId.put(outline.id(), outline);
    }
    List<Shape.RunningPlan> facts = new ArrayList<>();
    for (Job job : jobs) {
      int low = Integer.MAX_VALUE;
      int high = Integer.MIN_VALUE;
      for (long input : job.inputs()) {
        SSTableOutline<K> outline = byId.get(input);
        if (outline != null) {
          low = Math.min(low, ranks.get(outline.first()));
          high = Math.max(high, ranks.get(outline.last()));
        }
      }
      if (low <= high) {
        facts.add(new Shape.RunningPlan(job.level(), Target.NEW_RUN, low, high));
      }
    }
    return facts;
  }
}
