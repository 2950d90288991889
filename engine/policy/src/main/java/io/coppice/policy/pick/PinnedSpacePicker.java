// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Reason;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Thousandths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Merges that free the tables with the least live data. A table stays on disk until no slice shows
 * it; the parts that merges have already rewritten stay pinned until then. While all tables
 * together pin more than the allowed share of the bytes that slices show, the table with the
 * smallest fraction in use is freed. The segments that hold it are merged in place. The outputs are
 * whole tables, so each such merge leaves fewer slices of partly used tables, and the work ends.
 * Coppice's own addition; Pebble does the same for its virtual tables. Used by one thread.
 */
public final class PinnedSpacePicker {

  /** Position of a segment: the index of its run among all runs, and its own index in the run. */
  private record Place(int run, int segment) {}

  /** Table with its slices and the sum of their bytes. */
  private static final class Table {
    final long number;
    final long bytes;
    final List<Place> places = new ArrayList<>();
    long used;

    Table(SliceFacts slice) {
      number = slice.table();
      bytes = slice.tableBytes();
    }

    /** Adds a slice of this table; the caller adds slices run by run and by ascending rank. */
    void add(SliceFacts slice, Place place) {
      used += slice.bytes();
      if (places.isEmpty() || !places.get(places.size() - 1).equals(place)) {
        places.add(place);
      }
    }

    long number() {
      return number;
    }

    long pinned() {
      return Math.max(0, bytes - used);
    }

    double shareInUse() {
      return (double) used / Math.max(1, bytes);
    }
  }

  private final PlanningView view;
  private final MergeLimits limits;
  private final long maxThousandths;

  /**
   * Creates a picker for one shape.
   *
   * @param maxThousandths pinned bytes allowed, in thousandths of the bytes that slices show
   */
  public PinnedSpacePicker(PlanningView view, MergeLimits limits, long maxThousandths) {
    this.view = view;
    this.limits = limits;
    this.maxThousandths = maxThousandths;
  }

  /**
   * Returns the merges that bring the pinned bytes within the bound, the table with the smallest
   * fraction in use first. Under FREE, where tables are whole, there are none.
   */
  public Stream<CandidatePlan> candidates() {
    if (!view.adjacent()) {
      return Stream.of();
    }
    Map<Long, Table> tables = tables();
    long live = view.shape().bytes();
    long pinned = pinned(tables.values());
    long allowed = (long) ((double) live * maxThousandths / Thousandths.ONE);
    if (pinned <= allowed) {
      return Stream.of();
    }
    List<Table> leastUsedFirst =
        tables.values().stream()
            .filter(table -> table.pinned() > 0)
            .sorted(Comparator.comparingDouble(Table::shareInUse).thenComparing(Table::number))
            .toList();
    Set<Place> taken = new HashSet<>();
    AtomicLong excess = new AtomicLong(pinned - allowed);
    return LazyConcat.of(
        leastUsedFirst.stream().takeWhile(table -> excess.getAndAdd(-table.pinned()) > 0),
        table -> free(table, reason(table, pinned, live), taken));
  }

  /** Returns the bytes on disk that no slice shows. */
  public long pinnedBytes() {
    return pinned(tables().values());
  }

  private static long pinned(Collection<Table> tables) {
    return tables.stream().mapToLong(Table::pinned).sum();
  }

  private static Reason reason(Table table, long pinned, long live) {
    return Reason.ofNumbers(
        "pinned-space",
        "tables pin {pinned} bytes beside {live} in use, table {table} is used least",
        pinned,
        live,
        table.number);
  }

  /**
   * Returns merges of the segments that hold the table, except those that an earlier merge takes.
   *
   * @param taken places of segments that merges take; the method adds its own
   */
  private Stream<CandidatePlan> free(Table table, Reason reason, Set<Place> taken) {
    List<CandidatePlan> candidates = new ArrayList<>();
    List<Place> places = table.places.stream().filter(taken::add).toList();
    int start = 0;
    for (int i = 1; i <= places.size(); i++) {
      Place last = places.get(i - 1);
      if (i == places.size() || !places.get(i).equals(new Place(last.run, last.segment + 1))) {
        PlanningView.PlacedRun run = view.runs().get(last.run);
        List<SegmentFacts> segments = run.facts().segments();
        AdjacentSegments stretch =
            new AdjacentSegments(
                run, segments.subList(places.get(start).segment, last.segment + 1));
        candidates.add(stretch.merge(view, reason, limits));
        start = i;
      }
    }
    return candidates.stream();
  }

  /** Returns the tables that some slice shows only in part, by id. */
  private Map<Long, Table> tables() {
    Map<Long, Table> tables = new HashMap<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      List<SegmentFacts> segments = run.facts().segments();
      for (int i = 0; run.facts().hasParts() && i < segments.size(); i++) {
        if (!run.facts().hasParts(i)) {
          continue;
        }
        for (SliceFacts slice : segments.get(i).slices()) {
          if (slice.bytes() < slice.tableBytes()) {
            tables
                .computeIfAbsent(slice.table(), number -> new Table(slice))
                .add(slice, new Place(run.ageIndex(), i));
          }
        }
      }
    }
    return tables;
  }
}
