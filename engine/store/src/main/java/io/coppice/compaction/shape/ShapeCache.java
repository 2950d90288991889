// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import com.google.common.collect.Sets;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Shapes of one family's versions, each derived from the previous one: unchanged runs and segments
 * keep their ranks, sizes and facts. Used by one thread at a time, under the compactor's lock.
 */
public final class ShapeCache {

  private record KnownRun(Run run, RunFacts facts) {}

  /**
   * A run with the range of its segments that may have changed.
   *
   * @param known the previous state; null if all segments are new
   * @param from the index of the first segment that may have changed
   * @param tail number of unchanged segments at the end
   * @param kept unchanged segments inside the range, with their facts
   */
  private record Change(
      KnownRun known, Run run, int from, int tail, Map<Segment, SegmentFacts> kept) {
    List<Segment> segments() {
      return run.segments().subList(from, run.segments().size() - tail);
    }
  }

  private final Function<Slice, SliceSize> measure;

  /** Runs of the last shape with their facts, by id. */
  private Map<Long, KnownRun> runs = Map.of();

  private KeyRanks ranks = new KeyRanks(new byte[0][]);
  private Set<Long> held = Set.of();
  private Map<Long, Integer> ended = Map.of();
  private Map<Long, Long> hidden = Map.of();

  /** Segments with a slice whose size is unknown. */
  private Set<Segment> unmeasured = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Whether the segment that is being converted has a slice whose size is unknown. */
  private boolean missed;

  /**
   * Creates an empty cache.
   *
   * @param measure returns the size of a slice, or null if it cannot be determined now; it is then
   *     asked again for the next shape
   */
  public ShapeCache(Function<Slice, SliceSize> measure) {
    this.measure = measure;
  }

  /**
   * Returns the shape of a version. Equal keys may have other ranks than in the previous shape.
   *
   * @param version version that the caller leases
   * @param visible selects the runs that exist for the policy
   * @param claims tables in use by running plans
   * @param leftOut further tables that must not be planned
   * @param endedNow expired eighths by table, see {@link EndedShares}
   * @param hiddenNow entries that deletions hide by table, see {@link HiddenEntries}
   */
  public Shape of(
      Version version,
      Predicate<Run> visible,
      Claims claims,
      Set<Long> leftOut,
      Map<Long, Integer> endedNow,
      Map<Long, Long> hiddenNow) {
    Set<Long> holds = new HashSet<>(claims.tables());
    holds.addAll(leftOut);
    Set<Long> turned = new HashSet<>(Sets.symmetricDifference(held, holds));
    Sets.symmetricDifference(ended.entrySet(), endedNow.entrySet())
        .forEach(entry -> turned.add(entry.getKey()));
    if (hidden != hiddenNow) {
      Sets.symmetricDifference(hidden.entrySet(), hiddenNow.entrySet())
          .forEach(entry -> turned.add(entry.getKey()));
    }
    List<Change> changes = changes(version, turned);
    Map<Slice, SliceSize> sizes = Map.of();
    if (!rank(changes, claims)) {
      sizes = sizes();
      runs = Map.of();
      ranks = new KeyRanks(VersionShapeBuilder.bounds(version, claims));
      changes = changes(version, turned);
    }
    Map<Slice, SliceSize> kept = sizes;
    VersionShapeBuilder shapeOf =
        new VersionShapeBuilder(
            ranks::of,
            VersionShapeBuilder.held(claims, leftOut),
            slice -> size(slice, kept),
            endedNow,
            hiddenNow);
    Map<Long, KnownRun> present = new HashMap<>();
    Set<Segment> missing = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Change change : changes) {
      present.put(change.run.id(), known(change, shapeOf, missing));
    }
    runs = present;
    held = holds;
    ended = endedNow;
    hidden = hiddenNow;
    unmeasured = missing;
    return shapeOf.shape(version, visible, run -> present.get(run.id()).facts, claims);
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

  private Change change(KnownRun known, Run run, Set<Long> turned) {
    if (known == null) {
      return new Change(null, run, 0, 0, Map.of());
    }
    if (known.run == run && turned.isEmpty() && unmeasured.isEmpty()) {
      return new Change(known, run, run.segments().size(), 0, Map.of());
    }
    List<Segment> before = known.run.segments();
    List<Segment> after = run.segments();
    int most = Math.min(before.size(), after.size());
    int from = 0;
    while (from < most && before.get(from) == after.get(from) && stays(after.get(from), turned)) {
      from++;
    }
    int tail = 0;
    while (tail < most - from
        && before.get(before.size() - 1 - tail) == after.get(after.size() - 1 - tail)
        && stays(after.get(after.size() - 1 - tail), turned)) {
      tail++;
    }
    Map<Segment, SegmentFacts> kept = new IdentityHashMap<>();
    for (int i = from; i < before.size() - tail; i++) {
      if (stays(before.get(i), turned)) {
        kept.put(before.get(i), known.facts.segments().get(i));
      }
    }
    return new Change(known, run, from, tail, kept);
  }

  private boolean stays(Segment segment, Set<Long> turned) {
    List<Slice> slices = segment.slices();
    boolean stays = unmeasured.isEmpty() || !unmeasured.contains(segment);
    for (int i = 0; stays && i < slices.size() && !turned.isEmpty(); i++) {
      stays = !turned.contains(slices.get(i).table().number());
    }
    return stays;
  }

  /**
   * Ranks the new keys. Returns whether all have a rank; otherwise all keys must be ranked again.
   */
  private boolean rank(List<Change> changes, Claims claims) {
    boolean ranked = true;
    for (Change change : changes) {
      for (Segment segment : change.segments()) {
        if (!change.kept.containsKey(segment)) {
          for (Slice slice : segment.slices()) {
            ranked = ranked && ranks.add(slice.low()) && ranks.add(slice.high());
          }
        }
      }
    }
    for (Claims.Claim job : claims.jobs()) {
      ranked = ranked && ranks.add(job.low()) && ranks.add(job.high());
    }
    return ranked;
  }

  /**
   * Returns the sizes of the slices of the last shape, except in segments with a slice whose size
   * is unknown.
   */
  private Map<Slice, SliceSize> sizes() {
    Map<Slice, SliceSize> sizes = new IdentityHashMap<>();
    for (KnownRun known : runs.values()) {
      List<Segment> segments = known.run.segments();
      for (int i = 0; i < segments.size(); i++) {
        List<Slice> slices = segments.get(i).slices();
        List<SliceFacts> facts = known.facts.segments().get(i).slices();
        for (int j = 0; j < slices.size() && !unmeasured.contains(segments.get(i)); j++) {
          sizes.put(slices.get(j), size(facts.get(j)));
        }
      }
    }
    return sizes;
  }

  private KnownRun known(Change change, VersionShapeBuilder shapeOf, Set<Segment> missing) {
    Run run = change.run;
    List<Segment> segments = change.segments();
    List<SegmentFacts> facts = new ArrayList<>(segments.size());
    for (Segment segment : segments) {
      SegmentFacts kept = change.kept.get(segment);
      missed = false;
      facts.add(kept == null ? shapeOf.segment(segment) : kept);
      if (missed) {
        missing.add(segment);
      }
    }
    if (change.known == null) {
      return new KnownRun(run, new RunFacts(run.id(), facts, run.sources()));
    }
    if (change.known.run == run && segments.isEmpty()) {
      return change.known;
    }
    int to = change.known.run.segments().size() - change.tail;
    RunFacts next = change.known.facts.with(change.from, to, facts);
    boolean fed = next.sources().equals(run.sources());
    return new KnownRun(run, fed ? next : next.fedBy(run.sources()));
  }

  /** Returns bytes, entries and tombstones of a slice, taken from its facts. */
  public static SliceSize size(SliceFacts facts) {
    return new SliceSize(facts.bytes(), facts.entries(), facts.tombstones());
  }

  private SliceSize size(Slice slice, Map<Slice, SliceSize> sizes) {
    SliceSize known = sizes.get(slice);
    SliceSize size = known == null ? measure.apply(slice) : known;
    missed |= size == null;
    return size == null ? SliceSize.ofTable(slice) : size;
  }
}
