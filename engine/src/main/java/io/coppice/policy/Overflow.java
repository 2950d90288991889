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
 * A level of leveled over its target: what goes down, the cheapest first, until the level fits.
 * Cheap is little of the next level under a segment for the segment's own size; ties go to the
 * older table. What lies over nothing moves.
 */
final class Overflow {

  /** A segment of the level; what it meets below are bytes only, until it is chosen. */
  private record Candidate(SegmentFacts segment, long bytes, long metBytes) {

    static final Comparator<Candidate> CHEAPEST = Candidate::compare;

    double cost() {
      return (double) metBytes / Math.max(1, bytes);
    }

    long firstSlice() {
      return segment.slices().get(0).slice();
    }

    boolean moves() {
      return metBytes == 0 && segment.slices().size() == 1;
    }

    private static int compare(Candidate a, Candidate b) {
      int order = Double.compare(a.cost(), b.cost());
      TableFacts first = a.segment.slices().get(0);
      TableFacts second = b.segment.slices().get(0);
      order = order == 0 ? Long.compare(first.table(), second.table()) : order;
      return order == 0 ? Long.compare(first.slice(), second.slice()) : order;
    }
  }

  private final Layout layout;
  private final Layout.PlacedRun run;
  private final long targetBytes;
  private final Entrance below;
  private long excess;

  Overflow(Layout layout, Layout.PlacedRun run, long targetBytes, MergeLimits limits) {
    this.layout = layout;
    this.run = run;
    this.targetBytes = targetBytes;
    below = new Entrance(layout, run.level() + 1, limits);
  }

  /**
   * What brings the level to its target: one move of all that can move, then merges.
   *
   * @param transientBytes a merge that needs more is passed over for the next cheapest
   */
  Stream<Wish> wishes(long transientBytes) {
    excess = run.facts().bytes() - leavingBytes() - targetBytes;
    if (excess <= 0) {
      return Stream.of();
    }
    Queue<Candidate> cheapestFirst = candidates();
    Reason reason = reason(cheapestFirst);
    List<Placed> moves = new ArrayList<>();
    List<Candidate> heavy = new ArrayList<>();
    while (excess > 0 && !cheapestFirst.isEmpty() && cheapestFirst.peek().metBytes == 0) {
      Candidate candidate = cheapestFirst.poll();
      if (candidate.moves()) {
        moves.addAll(run.place(candidate.segment));
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

  private Optional<Wish> nextMerge(
      Queue<Candidate> cheapestFirst, Reason reason, long transientBytes) {
    while (excess > 0 && !cheapestFirst.isEmpty()) {
      Candidate candidate = cheapestFirst.poll();
      List<Placed> slices = run.place(candidate.segment);
      List<Placed> met = below.over(candidate.segment.low(), candidate.segment.high());
      Wish merge = below.merge(slices, met, reason);
      if (!merge.held() && merge.fits(transientBytes)) {
        excess -= candidate.bytes;
        return Optional.of(merge);
      }
    }
    return Optional.empty();
  }

  /** The free segments of the level; one walk along both levels adds up what each meets. */
  private Queue<Candidate> candidates() {
    List<SegmentFacts> residents = below.segments();
    Queue<Candidate> candidates = new PriorityQueue<>(Candidate.CHEAPEST);
    int first = 0;
    for (SegmentFacts segment : run.facts().segments()) {
      int low = segment.low();
      int high = segment.high();
      while (first < residents.size() && residents.get(first).high() < low) {
        first++;
      }
      long met = 0;
      for (int i = first; i < residents.size() && residents.get(i).low() <= high; i++) {
        met += residents.get(i).bytes();
      }
      if (!segment.claimed()) {
        candidates.add(new Candidate(segment, segment.bytes(), met));
      }
    }
    return candidates;
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
            run.level(),
            "bytes",
            run.facts().bytes(),
            "target",
            targetBytes)
        .weighing(
            best.stream()
                .map(choice -> new Reason.Candidate(choice.firstSlice(), choice.cost()))
                .toList());
  }

  /** Bytes that plans under way already take out of the level. */
  private long leavingBytes() {
    List<Shape.Job> jobs =
        layout.shape().jobs().stream().filter(job -> job.level() > run.level()).toList();
    if (jobs.isEmpty()) {
      return 0;
    }
    long bytes = 0;
    for (Placed slice : run.slices()) {
      if (slice.claimed()
          && jobs.stream()
              .anyMatch(job -> slice.low() <= job.high() && job.low() <= slice.high())) {
        bytes += slice.bytes();
      }
    }
    return bytes;
  }
}
