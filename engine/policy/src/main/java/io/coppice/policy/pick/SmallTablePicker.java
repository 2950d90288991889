// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Reason;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Small-table picker: joins small adjacent tables in place. Most other merges need overlap, so
 * single-key flushes would otherwise stay forever. The picker takes ranges of at least {@code
 * minNeighbours} adjacent tables, each under half of the table size. A range becomes tables of up
 * to the table size in the same place of the same run. The order and the number of runs stay the
 * same. A small virtual segment counts as a small table.
 *
 * <p>Each rewrite at least doubles the table that holds a byte, or takes it past half the table
 * size. A byte is therefore rewritten at most 1 + log2(table size / first size) times.
 *
 * <p>The size of a table is its share of a full output. A table of many tiny entries is full long
 * before its bytes are, and joining such tables would change nothing. Coppice's own addition.
 */
public final class SmallTablePicker {

  /** Least number of tables in a range to join; a policy may require more. */
  public static final int MIN_NEIGHBOURS = 4;

  // Under FREE a host may cut a flush at common bounds into up to 32 small tables.
  private static final int MIN_STRETCH_OF_FLUSHES = 64;

  private final PlanningView view;
  private final MergeLimits limits;
  private final long tableBytes;
  private final int minNeighbours;

  private SmallTablePicker(PlanningView view, MergeLimits limits, int minNeighbours) {
    this.view = view;
    this.limits = limits;
    this.tableBytes = limits.tableBytes();
    this.minNeighbours = minNeighbours;
  }

  /**
   * Returns the wanted merges of all runs, newest run first, in a run by ascending rank.
   *
   * @param minNeighbours least number of tables in a range to join
   */
  public static Stream<CandidatePlan> candidates(
      PlanningView view, MergeLimits limits, int minNeighbours) {
    SmallTablePicker small = new SmallTablePicker(view, limits, minNeighbours);
    return view.runs().stream().flatMap(run -> small.candidates(run).stream());
  }

  /**
   * Returns the wanted merges of settled runs, newest run first, in a run by ascending rank. A
   * settled run is complete and feeds no other run. Under ADJACENT, a running plan must not write
   * to it either.
   *
   * @param minNeighbours least number of tables in a range to join
   */
  public static Stream<CandidatePlan> settledCandidates(
      PlanningView view, MergeLimits limits, int minNeighbours) {
    SmallTablePicker small = new SmallTablePicker(view, limits, minNeighbours);
    return view.runs().stream()
        .filter(view::settled)
        .flatMap(run -> small.candidates(run).stream());
  }

  static boolean isSmall(long bytes, long tableBytes) {
    return bytes < tableBytes - bytes;
  }

  /** Returns the wanted merges of one run, by ascending rank. */
  List<CandidatePlan> candidates(PlanningView.PlacedRun run) {
    List<CandidatePlan> candidates = new ArrayList<>();
    List<SegmentFacts> segments = run.facts().segments();
    int start = 0;
    for (int i = 0; i <= segments.size(); i++) {
      if (i < segments.size()
          && isSmall(run.facts().bytes(i), tableBytes)
          && isSmall(share(segments.get(i)), tableBytes)) {
        continue;
      }
      if (i - start >= minNeighbours(run)) {
        join(run, start, i, candidates);
      }
      start = i + 1;
    }
    return candidates;
  }

  /**
   * Adds the merges of a range of small tables, parted where a table of the level is between two of
   * them.
   *
   * @param from index of the first table in the run
   * @param to index after the last table
   * @param candidates receives the merges
   */
  private void join(PlanningView.PlacedRun run, int from, int to, List<CandidatePlan> candidates) {
    List<SegmentFacts> segments = run.facts().segments();
    int start = from;
    for (int i = from + 1; i <= to; i++) {
      if (i < to && !tableBetween(run, i - 1, i)) {
        continue;
      }
      if (i - start >= minNeighbours(run)) {
        join(run, segments.subList(start, i), candidates);
      }
      start = i;
    }
  }

  /**
   * Returns whether the level has a table entirely between two neighbors of a run. Under FREE a run
   * is a set of tables that happen not to overlap, and its neighbors may be far apart. A joined
   * table would overlap all tables between them, and the policy would split it again.
   */
  private boolean tableBetween(PlanningView.PlacedRun run, int before, int after) {
    int low = run.facts().high(before);
    int high = run.facts().low(after);
    return !view.adjacent()
        && view.runs(run.level()).stream()
            .flatMap(other -> other.facts().overlapping(low, high).stream())
            .anyMatch(table -> table.low() > low && table.high() < high);
  }

  /**
   * Returns the least number of tables to join in a run. It is larger for flushes under FREE: the
   * parts of one flush wait for the merge of their level.
   */
  private int minNeighbours(PlanningView.PlacedRun run) {
    return view.adjacent() || run.level() > 0
        ? minNeighbours
        : Math.max(minNeighbours, MIN_STRETCH_OF_FLUSHES);
  }

  private long share(SegmentFacts segment) {
    long entries = 0;
    for (SliceFacts slice : segment.slices()) {
      entries += slice.entries();
    }
    return limits.share(segment.bytes(), entries);
  }

  /**
   * Cuts a range of small tables into groups that each fill at most one table, and adds their
   * merges.
   *
   * @param candidates receives the merges
   */
  private void join(
      PlanningView.PlacedRun run, List<SegmentFacts> stretch, List<CandidatePlan> candidates) {
    int start = 0;
    long bytes = 0;
    for (int i = 0; i < stretch.size(); i++) {
      if (bytes + share(stretch.get(i)) > tableBytes) {
        add(run, stretch.subList(start, i), stretch.size(), candidates);
        start = i;
        bytes = 0;
      }
      bytes += share(stretch.get(i));
    }
    joinRest(run, stretch.subList(start, stretch.size()), stretch.size(), candidates);
  }

  /**
   * Joins the tables at the end of a range, which fill less than one table, unless one of them
   * holds most of the bytes. Rewriting that one again for every few bytes more would cost without
   * bound. It is left out, and each side of it is considered alone.
   *
   * @param candidates receives the merges
   */
  private void joinRest(
      PlanningView.PlacedRun run,
      List<SegmentFacts> rest,
      int stretch,
      List<CandidatePlan> candidates) {
    if (rest.size() < minNeighbours) {
      return;
    }
    int largest = 0;
    long bytes = 0;
    for (int i = 0; i < rest.size(); i++) {
      bytes += share(rest.get(i));
      if (share(rest.get(i)) > share(rest.get(largest))) {
        largest = i;
      }
    }
    if (share(rest.get(largest)) <= bytes - share(rest.get(largest))) {
      add(run, rest, stretch, candidates);
    } else {
      joinRest(run, rest.subList(0, largest), stretch, candidates);
      joinRest(run, rest.subList(largest + 1, rest.size()), stretch, candidates);
    }
  }

  private void add(
      PlanningView.PlacedRun run,
      List<SegmentFacts> segments,
      int stretch,
      List<CandidatePlan> candidates) {
    Reason reason =
        Reason.ofNumbers(
            "small-tables",
            "L{level} has {tables} small tables side by side",
            run.level(),
            stretch);
    candidates.add(new AdjacentSegments(run, segments).merge(view, reason, limits));
  }
}
