// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.stream.Stream;

/**
 * Picker for a leveled level over its target: segments go down until the level fits. The segment
 * with the smallest overlap ratio goes first: bytes that it overlaps in the next level, divided by
 * its own. Ties go to the older table. Segments without overlap move.
 */
final class OversizedLevelPicker {

  /** A segment of the level. It knows only the bytes that it overlaps below until it is chosen. */
  private record Candidate(
      PlanningView.PlacedRun run, SegmentFacts segment, long bytes, long metBytes, double cost) {

    static final Comparator<Candidate> CHEAPEST = Candidate::compare;

    static Candidate of(
        PlanningView.PlacedRun run, SegmentFacts segment, long bytes, long metBytes) {
      return new Candidate(run, segment, bytes, metBytes, (double) metBytes / Math.max(1, bytes));
    }

    List<PlacedSlice> slices() {
      return run.place(segment);
    }

    long firstSlice() {
      return segment.slices().get(0).slice();
    }

    boolean moves() {
      return metBytes == 0 && segment.slices().size() == 1;
    }

    private static int compare(Candidate a, Candidate b) {
      int order = Double.compare(a.cost, b.cost);
      return order == 0 ? compareAge(a, b) : order;
    }

    private static int compareAge(Candidate a, Candidate b) {
      SliceFacts first = a.segment.slices().get(0);
      SliceFacts second = b.segment.slices().get(0);
      int order = Long.compare(first.table(), second.table());
      return order == 0 ? Long.compare(first.slice(), second.slice()) : order;
    }
  }

  private final PlanningView layout;
  private final int level;
  private final List<PlanningView.PlacedRun> runs;
  private final long bytes;
  private final long targetBytes;
  private final OutputLevel below;
  private long excess;

  /**
   * Creates the picker of a level.
   *
   * @param runs contents of the level: one run, or several of an overlapping level
   */
  OversizedLevelPicker(
      PlanningView layout, List<PlanningView.PlacedRun> runs, long targetBytes, OutputLevel below) {
    this.layout = layout;
    this.level = runs.get(0).level();
    this.runs = runs;
    long sum = 0;
    for (PlanningView.PlacedRun run : runs) {
      sum += run.facts().bytes();
    }
    this.bytes = sum;
    this.targetBytes = targetBytes;
    this.below = below;
  }

  /**
   * Returns the plans that bring the level to its target: one move of all slices that can move,
   * then merges.
   *
   * @param transientBytes limit of transient space; a merge that needs more gives way to the next
   *     cheapest
   */
  Stream<CandidatePlan> wishes(long transientBytes) {
    excess = bytes - leavingBytes() - targetBytes;
    if (excess <= 0) {
      return Stream.of();
    }
    Queue<Candidate> cheapestFirst = candidates();
    Reason reason = reason(cheapestFirst);
    List<PlacedSlice> moves = new ArrayList<>();
    List<Candidate> heavy = new ArrayList<>();
    while (excess > 0 && !cheapestFirst.isEmpty() && cheapestFirst.peek().metBytes == 0) {
      Candidate candidate = cheapestFirst.poll();
      if (candidate.moves() && apart(candidate, moves)) {
        moves.addAll(candidate.slices());
        excess -= candidate.bytes;
      } else {
        heavy.add(candidate);
      }
    }
    cheapestFirst.addAll(heavy);
    return Stream.concat(
        below.move(moves, reason).stream(),
        Stream.generate(() -> nextMerge(cheapestFirst, reason, transientBytes))
            .takeWhile(Optional::isPresent)
            .map(Optional::get));
  }

  /**
   * Returns whether a candidate overlaps none of the moves. In an overlapping level, tables without
   * overlap below may still overlap each other.
   */
  private boolean apart(Candidate candidate, List<PlacedSlice> moves) {
    return runs.size() == 1
        || moves.stream()
            .noneMatch(move -> move.facts().overlaps(candidate.segment.slices().get(0)));
  }

  private Optional<CandidatePlan> nextMerge(
      Queue<Candidate> cheapestFirst, Reason reason, long transientBytes) {
    while (excess > 0 && !cheapestFirst.isEmpty()) {
      Candidate candidate = cheapestFirst.poll();
      List<PlacedSlice> met = below.over(candidate.segment.low(), candidate.segment.high());
      CandidatePlan down = below.take(candidate.slices(), met, reason);
      Optional<CandidatePlan> narrower =
          down.plan() instanceof Plan.Merge ? narrower(candidate, reason) : Optional.empty();
      CandidatePlan wish = narrower.orElse(down);
      if (!wish.held() && wish.fits(transientBytes)) {
        excess -= narrower.isPresent() ? 0 : candidate.bytes;
        return Optional.of(wish);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns a merge in place that replaces wide tables with narrow ones, for an overlapping level.
   * A table that a delay placed here is as wide as its former level and would overlap that much
   * more of the next one. It is therefore first merged with the overlapping tables of its own
   * level.
   */
  private Optional<CandidatePlan> narrower(Candidate candidate, Reason reason) {
    if (runs.size() == 1) {
      return Optional.empty();
    }
    List<PlacedSlice> over = new ArrayList<>();
    for (PlanningView.PlacedRun run : runs) {
      over.addAll(run.over(candidate.segment.low(), candidate.segment.high()));
    }
    if (over.size() == 1) {
      return Optional.empty();
    }
    Reason counted = reason.and("{over} of its tables overlap", "over", over.size());
    Target here = Target.newest(level);
    return Optional.of(CandidatePlan.merge(layout, over, here, counted, below.limits()));
  }

  /** Returns the unclaimed segments of the level with the bytes that each overlaps below. */
  private Queue<Candidate> candidates() {
    Queue<Candidate> candidates = new PriorityQueue<>(Candidate.CHEAPEST);
    for (PlanningView.PlacedRun run : runs) {
      long[] met = met(run.facts());
      List<SegmentFacts> segments = run.facts().segments();
      for (int i = 0; i < met.length; i++) {
        if (!run.facts().claimed(i)) {
          candidates.add(Candidate.of(run, segments.get(i), run.facts().bytes(i), met[i]));
        }
      }
    }
    return candidates;
  }

  /** Returns the bytes that each segment overlaps below, by one pass along both levels. */
  private long[] met(RunFacts run) {
    long[] met = new long[run.segments().size()];
    for (PlanningView.PlacedRun resident : below.runs()) {
      RunFacts under = resident.facts();
      int size = under.segments().size();
      int first = 0;
      for (int i = 0; i < met.length; i++) {
        while (first < size && under.high(first) < run.low(i)) {
          first++;
        }
        for (int at = first; at < size && under.low(at) <= run.high(i); at++) {
          // A segment with an estimate of zero bytes still overlaps.
          met[i] += Math.max(1, under.bytes(at));
        }
      }
    }
    return met;
  }

  private Reason reason(Queue<Candidate> cheapestFirst) {
    List<Candidate> best = new ArrayList<>();
    while (best.size() < Reason.MAX_CANDIDATES && !cheapestFirst.isEmpty()) {
      best.add(cheapestFirst.poll());
    }
    cheapestFirst.addAll(best);
    return Reason.of(
            "over-target",
            "L{level} has {bytes} bytes, target is {target}",
            "level",
            level,
            "bytes",
            bytes,
            "target",
            targetBytes)
        .weighing(
            best.stream()
                .map(choice -> new Reason.Candidate(choice.firstSlice(), choice.cost()))
                .toList());
  }

  /** Returns the bytes that running plans already take out of the level. */
  private long leavingBytes() {
    List<Shape.Job> jobs = layout.shape().jobs();
    if (jobs.isEmpty()) {
      return 0;
    }
    long leaving = 0;
    for (PlacedSlice slice : PlanningView.slicesOf(runs)) {
      boolean leaves = false;
      for (Shape.Job job : jobs) {
        leaves |= job.level() > level && slice.low() <= job.high() && job.low() <= slice.high();
      }
      leaving += leaves && slice.claimed() ? slice.bytes() : 0;
    }
    return leaving;
  }
}
