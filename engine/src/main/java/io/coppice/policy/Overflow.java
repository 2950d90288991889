// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A level of leveled over its target: what goes down, the cheapest first, until the level fits.
 * Cheap is little of the next level under a segment for the segment's own size; ties go to the
 * older table. What lies over nothing moves.
 */
final class Overflow {

  private record Candidate(List<Placed> slices, List<Placed> met, long bytes, double cost) {
    static final Comparator<Candidate> CHEAPEST =
        Comparator.comparingDouble(Candidate::cost)
            .thenComparing(candidate -> candidate.slices.get(0), Placed.OLDEST_FIRST);
  }

  private final Layout layout;
  private final Layout.PlacedRun run;
  private final long targetBytes;
  private final Entrance below;

  Overflow(Layout layout, Layout.PlacedRun run, long targetBytes) {
    this.layout = layout;
    this.run = run;
    this.targetBytes = targetBytes;
    below = new Entrance(layout, run.level() + 1);
  }

  /**
   * What brings the level to its target: one move of all that can move, then merges.
   *
   * @param mergeBytes a merge of more input bytes is passed over for the next cheapest
   */
  List<Wish> wishes(long mergeBytes) {
    long levelBytes = run.facts().bytes();
    long excess = levelBytes - leavingBytes() - targetBytes;
    if (excess <= 0) {
      return List.of();
    }
    Reason reason =
        Reason.of(
            "over-target",
            "L{level} has {bytes} bytes, target is {target}",
            "level",
            run.level(),
            "bytes",
            levelBytes,
            "target",
            targetBytes);
    List<Wish> wishes = new ArrayList<>();
    List<Placed> moves = new ArrayList<>();
    for (Candidate candidate : cheapestFirst()) {
      if (excess <= 0) {
        break;
      }
      if (candidate.met.isEmpty() && candidate.slices.size() == 1) {
        moves.addAll(candidate.slices);
        excess -= candidate.bytes;
        continue;
      }
      List<Placed> slices = new ArrayList<>(candidate.slices);
      slices.addAll(candidate.met);
      Wish merge = below.merge(slices, reason);
      if (!merge.held() && merge.bytes() <= mergeBytes) {
        wishes.add(merge);
        excess -= candidate.bytes;
      }
    }
    below.move(moves, reason).ifPresent(move -> wishes.add(0, move));
    return wishes;
  }

  private List<Candidate> cheapestFirst() {
    List<Candidate> candidates = new ArrayList<>();
    for (SegmentFacts segment : run.facts().segments()) {
      List<Placed> slices = run.place(segment);
      if (slices.stream().noneMatch(Placed::claimed)) {
        List<Placed> met = below.over(segment.low(), segment.high());
        long metBytes = met.stream().mapToLong(Placed::bytes).sum();
        double cost = (double) metBytes / Math.max(1, segment.bytes());
        candidates.add(new Candidate(slices, met, segment.bytes(), cost));
      }
    }
    candidates.sort(Candidate.CHEAPEST);
    return candidates;
  }

  /** Bytes that plans under way already take out of the level. */
  private long leavingBytes() {
    long bytes = 0;
    for (Placed slice : run.slices()) {
      for (Shape.Job job : layout.shape().jobs()) {
        if (slice.claimed()
            && job.level() > run.level()
            && slice.low() <= job.high()
            && job.low() <= slice.high()) {
          bytes += slice.bytes();
          break;
        }
      }
    }
    return bytes;
  }
}
