// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import java.util.ArrayList;
import java.util.Arrays;
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

  /**
   * Segment of the level with its score. It has the sum of the bytes that it overlaps in the next
   * level; their slices are looked up once it is chosen.
   */
  private record ScoredSegment(
      PlanningView.PlacedRun run,
      SegmentFacts segment,
      long bytes,
      long overlapBytes,
      double overlapRatio) {

    static final Comparator<ScoredSegment> CHEAPEST = ScoredSegment::compare;

    static ScoredSegment of(
        PlanningView.PlacedRun run, SegmentFacts segment, long bytes, long overlapBytes) {
      return new ScoredSegment(
          run, segment, bytes, overlapBytes, (double) overlapBytes / Math.max(1, bytes));
    }

    List<PlacedSlice> slices() {
      return run.slices(segment);
    }

    long firstSlice() {
      return segment.slices().get(0).slice();
    }

    boolean moves() {
      return overlapBytes == 0 && segment.slices().size() == 1;
    }

    private static int compare(ScoredSegment a, ScoredSegment b) {
      int order = Double.compare(a.overlapRatio, b.overlapRatio);
      return order == 0 ? compareAge(a, b) : order;
    }

    private static int compareAge(ScoredSegment a, ScoredSegment b) {
      SliceFacts first = a.segment.slices().get(0);
      SliceFacts second = b.segment.slices().get(0);
      int order = Long.compare(first.table(), second.table());
      return order == 0 ? Long.compare(first.slice(), second.slice()) : order;
    }
  }

  private final PlanningView view;
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
      PlanningView view, List<PlanningView.PlacedRun> runs, long targetBytes, OutputLevel below) {
    this.view = view;
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
   * then merges or delays, the smallest overlap ratio first.
   *
   * @param transientBytes limit of transient space in bytes; a merge that needs more gives way to
   *     the next cheapest
   */
  Stream<CandidatePlan> candidates(long transientBytes) {
    excess = bytes - leavingBytes() - targetBytes;
    if (excess <= 0) {
      return Stream.of();
    }
    Queue<ScoredSegment> cheapestFirst = scoredSegments();
    Reason reason = reason(cheapestFirst);
    List<PlacedSlice> moves = new ArrayList<>();
    List<ScoredSegment> heavy = new ArrayList<>();
    while (excess > 0 && !cheapestFirst.isEmpty() && cheapestFirst.peek().overlapBytes == 0) {
      ScoredSegment candidate = cheapestFirst.poll();
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
   * Returns whether a candidate overlaps no slice that moves. In an overlapping level, tables
   * without overlap below may still overlap each other.
   */
  private boolean apart(ScoredSegment candidate, List<PlacedSlice> moves) {
    return runs.size() == 1
        || moves.stream()
            .noneMatch(move -> move.facts().overlaps(candidate.segment.slices().get(0)));
  }

  private Optional<CandidatePlan> nextMerge(
      Queue<ScoredSegment> cheapestFirst, Reason reason, long transientBytes) {
    while (excess > 0 && !cheapestFirst.isEmpty()) {
      ScoredSegment candidate = cheapestFirst.poll();
      List<PlacedSlice> met = below.overlapping(candidate.segment.low(), candidate.segment.high());
      CandidatePlan down = below.mergeOrDelay(candidate.slices(), met, reason);
      Optional<CandidatePlan> narrower =
          down.plan() instanceof Plan.Merge ? narrowingMerge(candidate, reason) : Optional.empty();
      CandidatePlan chosen = narrower.orElse(down);
      if (!chosen.blocked() && chosen.fits(transientBytes)) {
        excess -= narrower.isPresent() ? 0 : candidate.bytes;
        return Optional.of(chosen);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns a merge in place that replaces wide tables with narrow ones, for an overlapping level;
   * empty if no other table of the level overlaps the candidate. A delay moves a table as it is.
   * The table keeps the wide range of its former level and therefore overlaps more of the next one.
   * It is therefore first merged with the overlapping tables of its own level.
   */
  private Optional<CandidatePlan> narrowingMerge(ScoredSegment candidate, Reason reason) {
    if (runs.size() == 1) {
      return Optional.empty();
    }
    List<PlacedSlice> over = new ArrayList<>();
    for (PlanningView.PlacedRun run : runs) {
      over.addAll(run.overlapping(candidate.segment.low(), candidate.segment.high()));
    }
    if (over.size() == 1) {
      return Optional.empty();
    }
    Reason counted = reason.and("{over} of its tables overlap", "over", over.size());
    Target here = Target.newest(level);
    return Optional.of(CandidatePlan.merge(view, over, here, counted, below.limits()));
  }

  /**
   * Returns the unclaimed segments of the level with the bytes that each overlaps in the next
   * level.
   */
  private Queue<ScoredSegment> scoredSegments() {
    Queue<ScoredSegment> candidates = new PriorityQueue<>(ScoredSegment.CHEAPEST);
    for (PlanningView.PlacedRun run : runs) {
      long[] overlapped = overlapBytesOf(run.facts());
      List<SegmentFacts> segments = run.facts().segments();
      for (int i = 0; i < overlapped.length; i++) {
        if (!run.facts().claimed(i)) {
          candidates.add(
              ScoredSegment.of(run, segments.get(i), run.facts().bytes(i), overlapped[i]));
        }
      }
    }
    return candidates;
  }

  /**
   * Returns the bytes that each segment overlaps in the next level, in the order of the segments.
   */
  private long[] overlapBytesOf(RunFacts run) {
    long[] overlapped = new long[run.segments().size()];
    for (PlanningView.PlacedRun resident : below.runs()) {
      long[] more = run.overlapBytes(resident.facts());
      Arrays.setAll(overlapped, i -> overlapped[i] + more[i]);
    }
    return overlapped;
  }

  private Reason reason(Queue<ScoredSegment> cheapestFirst) {
    List<ScoredSegment> best = new ArrayList<>();
    while (best.size() < Reason.MAX_CANDIDATES && !cheapestFirst.isEmpty()) {
      best.add(cheapestFirst.poll());
    }
    cheapestFirst.addAll(best);
    return Reason.ofNumbers(
            "over-target",
            "L{level} has {bytes} bytes, target is {target}",
            level,
            bytes,
            targetBytes)
        .weighing(
            best.stream()
                .map(choice -> new Reason.Candidate(choice.firstSlice(), choice.overlapRatio()))
                .toList());
  }

  /** Returns the bytes of the level that running plans already take down. */
  private long leavingBytes() {
    List<Shape.RunningPlan> jobs = view.shape().runningPlans();
    if (jobs.isEmpty()) {
      return 0;
    }
    long leaving = 0;
    for (PlacedSlice slice : PlanningView.slicesOf(runs)) {
      boolean leaves = false;
      for (Shape.RunningPlan job : jobs) {
        leaves |= job.level() > level && slice.low() <= job.high() && job.low() <= slice.high();
      }
      leaving += leaves && slice.claimed() ? slice.bytes() : 0;
    }
    return leaving;
  }
}
