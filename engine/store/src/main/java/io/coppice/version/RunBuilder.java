// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Builder of a run: its old state, and the changes of one edit to its slices. Used by one thread.
 */
final class RunBuilder {

  /** Original position of a slice: its run and its index in its segment. */
  record Origin(Slice slice, RunBuilder run, int indexInSegment) {

    /**
     * Compares two overlapping slices by age; the result is negative if this one is newer, 0 if
     * both are the same.
     */
    int compareAge(Origin other) {
      return run == other.run
          ? Integer.compare(indexInSegment, other.indexInSegment)
          : Integer.compare(run.age, other.run.age);
    }
  }

  private final Run run;

  /** Changed slices of the run by their id; null for a removed one. */
  private final Map<Long, Slice> replaced = new HashMap<>();

  /**
   * Indexes of the segments that contain {@link #replaced} slices. No edit moves the upper bound of
   * a slice that stays, so the bound finds the segment.
   */
  private final BitSet touched = new BitSet();

  /**
   * Segments added by the edit, by the ids of their slices; empty references once no slice is left.
   */
  private final Map<Long, AtomicReference<Segment>> joined = new LinkedHashMap<>();

  /** Index of the run among the runs of all levels, newest first. */
  private int age;

  RunBuilder(Run run) {
    this.run = run;
  }

  void age(int place) {
    age = place;
  }

  long id() {
    return run.id();
  }

  /** Returns the run before the edit. */
  Run run() {
    return run;
  }

  /** Adds a segment, whose slices {@link #replace} may change later. */
  void add(Segment segment) {
    AtomicReference<Segment> home = new AtomicReference<>(segment);
    for (Slice slice : segment.slices()) {
      joined.put(slice.id(), home);
    }
  }

  /** Replaces a slice of this run; null removes it. */
  void replace(Slice slice, Slice replacement) {
    AtomicReference<Segment> home = joined.get(slice.id());
    if (home == null) {
      replaced.put(slice.id(), replacement);
      byte[] high = slice.high();
      touched.set(run.ceiling(high, 0, high.length));
    } else {
      home.set(home.get().with(slice.id(), replacement));
    }
    if (replacement == null) {
      joined.remove(slice.id());
    }
  }

  /**
   * Returns the segment of one of the run's slices in its present state; null if no slice of it is
   * left.
   */
  Segment segment(Slice slice) {
    AtomicReference<Segment> home = joined.get(slice.id());
    if (home != null) {
      return home.get();
    }
    byte[] high = slice.high();
    return changed(run.find(high, 0, high.length));
  }

  boolean hasJoined() {
    return !joined.isEmpty();
  }

  /** Returns the original position of a slice of this run, which may have been trimmed since. */
  Origin origin(Slice slice) {
    byte[] high = slice.high();
    Segment segment = run.find(high, 0, high.length);
    List<Slice> slices = segment.slices();
    int index = 0;
    while (slices.get(index).id() != slice.id()) {
      index++;
    }
    return new Origin(slices.get(index), this, index);
  }

  /**
   * Returns the run after the edit; the same object if the edit left it alone.
   *
   * @throws IllegalArgumentException if two of its segments now overlap
   */
  Run build() {
    if (replaced.isEmpty() && joined.isEmpty()) {
      return run;
    }
    List<Segment> own = run.segments();
    List<Segment> segments = new ArrayList<>(own.size() + joined.size());
    int from = 0;
    for (int place = touched.nextSetBit(0); place >= 0; place = touched.nextSetBit(place + 1)) {
      segments.addAll(own.subList(from, place));
      Segment kept = changed(own.get(place));
      if (kept != null) {
        segments.add(kept);
      }
      from = place + 1;
    }
    segments.addAll(own.subList(from, own.size()));
    if (!joined.isEmpty()) {
      Set<AtomicReference<Segment>> homes = new LinkedHashSet<>(joined.values());
      homes.forEach(home -> segments.add(home.get()));
      segments.sort((a, b) -> Arrays.compareUnsigned(a.high(), b.high()));
    }
    return new Run(run.id(), segments, run.sources());
  }

  /** Returns a segment of this run after the edit, or null if no slice is left of it. */
  private Segment changed(Segment segment) {
    Segment kept = segment;
    for (Slice slice : segment.slices()) {
      if (kept != null && replaced.containsKey(slice.id())) {
        kept = kept.with(slice.id(), replaced.get(slice.id()));
      }
    }
    return kept;
  }
}
