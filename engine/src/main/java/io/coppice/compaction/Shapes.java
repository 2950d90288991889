// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.SliceSize;
import io.coppice.manifest.Version;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The versions of one family as its policy sees them, each made from the one before: what has not
 * changed keeps its ranks, its sizes and its facts, so a plan costs by what the last ones changed
 * and not by what there is. Guarded by the compactor's lock.
 */
final class Shapes {

  /**
   * What is known of a run.
   *
   * @param certain false if the size of some slice could not be found out
   */
  private record Known(Run run, RunFacts facts, boolean certain) {}

  /**
   * What has changed of a run.
   *
   * @param known null if all of it is new
   * @param from the first segment that is new
   * @param tail how many at its end are not
   */
  private record Change(Known known, Run run, int from, int tail) {
    int to() {
      return run.segments().size() - tail;
    }

    List<Segment> segments() {
      return run.segments().subList(from, to());
    }
  }

  private final Function<Slice, SliceSize> measure;
  private final Map<Long, Known> runs = new HashMap<>();
  private Ranks ranks = new Ranks(new byte[0][]);
  private Set<Long> held = Set.of();
  private boolean certain;

  /**
   * Nothing is known yet.
   *
   * @param measure how much of its table a slice shows; null if that cannot be found out now
   */
  Shapes(Function<Slice, SliceSize> measure) {
    this.measure = measure;
  }

  /**
   * Describes a leased version.
   *
   * @param visible the runs to show; the others do not exist for the policy
   * @param claims tables in use by plans under way
   * @param leftOut tables that are to be planned as little as those
   * @param requests groups that reads want merged
   */
  Shape of(
      Version version,
      Predicate<Run> visible,
      Claims claims,
      Set<Long> leftOut,
      Set<Long> requests) {
    Set<Long> now = new HashSet<>(claims.tables());
    now.addAll(leftOut);
    Set<Long> turned = new HashSet<>(held);
    turned.removeIf(now::contains);
    for (Long table : now) {
      if (!held.contains(table)) {
        turned.add(table);
      }
    }
    List<Change> changes = changes(version, turned);
    if (!rank(changes, claims)) {
      runs.clear();
      ranks = new Ranks(ShapeOf.bounds(version, claims));
      changes = changes(version, turned);
    }
    ShapeOf shapeOf = new ShapeOf(ranks::of, ShapeOf.held(claims, leftOut), this::size);
    Map<Long, Known> present = new HashMap<>();
    for (Change change : changes) {
      present.put(change.run.id(), known(change, shapeOf, turned));
    }
    runs.clear();
    runs.putAll(present);
    held = now;
    return shapeOf.shape(version, visible, run -> runs.get(run.id()).facts, claims, requests);
  }

  private List<Change> changes(Version version, Set<Long> turned) {
    List<Change> changes = new ArrayList<>();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        changes.add(change(runs.get(run.id()), run, turned));
      }
    }
    return changes;
  }

  private static Change change(Known known, Run run, Set<Long> turned) {
    if (known == null || !known.certain) {
      return new Change(null, run, 0, 0);
    }
    List<Segment> before = known.run.segments();
    List<Segment> after = run.segments();
    int most = Math.min(before.size(), after.size());
    if (known.run == run && turned.isEmpty()) {
      return new Change(known, run, most, 0);
    }
    int from = 0;
    while (from < most && stays(before.get(from), after.get(from), turned)) {
      from++;
    }
    int tail = 0;
    while (tail < most - from
        && stays(
            before.get(before.size() - 1 - tail), after.get(after.size() - 1 - tail), turned)) {
      tail++;
    }
    return new Change(known, run, from, tail);
  }

  private static boolean stays(Segment before, Segment after, Set<Long> turned) {
    return before == after && !touches(after, turned);
  }

  private static boolean touches(Segment segment, Set<Long> turned) {
    List<Slice> slices = segment.slices();
    for (int i = 0; i < slices.size() && !turned.isEmpty(); i++) {
      if (turned.contains(slices.get(i).table().number())) {
        return true;
      }
    }
    return false;
  }

  /** Ranks what is new; false if all must be ranked anew. */
  private boolean rank(List<Change> changes, Claims claims) {
    boolean ranked = true;
    for (Change change : changes) {
      for (Segment segment : change.segments()) {
        for (Slice slice : segment.slices()) {
          ranked = ranked && ranks.add(slice.low()) && ranks.add(slice.high());
        }
      }
    }
    for (Claims.Job job : claims.jobs()) {
      ranked = ranked && ranks.add(job.low()) && ranks.add(job.high());
    }
    return ranked;
  }

  private Known known(Change change, ShapeOf shapeOf, Set<Long> turned) {
    Known known = change.known;
    Run run = change.run;
    certain = true;
    if (known == null) {
      RunFacts facts = shapeOf.run(run);
      return new Known(run, facts, certain);
    }
    if (known.run == run && change.from == change.to()) {
      return known;
    }
    List<SegmentFacts> instead = new ArrayList<>();
    for (int i = change.from; i < change.to(); i++) {
      Segment segment = run.segments().get(i);
      boolean same = known.run == run && !touches(segment, turned);
      instead.add(same ? known.facts.segments().get(i) : shapeOf.segment(segment));
    }
    int end = known.run.segments().size() - change.tail;
    RunFacts facts = known.facts.with(change.from, end, instead);
    if (!facts.sources().equals(run.sources())) {
      facts = facts.fedBy(run.sources());
    }
    return new Known(run, facts, certain);
  }

  private SliceSize size(Slice slice) {
    SliceSize size = measure.apply(slice);
    if (size == null) {
      // For want of its index, which the next look may have.
      certain = false;
      return SliceSize.ofTable(slice);
    }
    return size;
  }
}
