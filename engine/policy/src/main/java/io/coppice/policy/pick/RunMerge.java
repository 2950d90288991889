// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Reason;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Merge of several runs into one, piece by piece (SifrDB, sections 3.1 and 3.2). Slices without
 * overlap move, and each overlap cluster is one merge. These pieces may be planned in any order and
 * at the same time. Each leaves a legal shape, and the remaining pieces follow from it.
 *
 * @param sources the runs to empty, newest first
 * @param targetRun the target run if it exists; a cluster takes the slices of this run that it
 *     overlaps, and the other slices of this run stay in place
 * @param target the run that receives the pieces
 * @param minDepth overlap depth below which a cluster is not merged yet; 2 merges all clusters
 * @param reason reason of the plans
 */
public record RunMerge(
    List<PlanningView.PlacedRun> sources,
    Optional<PlanningView.PlacedRun> targetRun,
    Target target,
    int minDepth,
    Reason reason) {

  /** Order that keeps the pieces as the sweep along the keys found them. */
  private static final Comparator<Piece> ASCENDING = (a, b) -> 0;

  /** Returns a merge of sources into an existing run, complete or incomplete. */
  public static RunMerge into(
      PlanningView.PlacedRun run, List<PlanningView.PlacedRun> sources, Reason reason) {
    Target target = Target.join(run.level(), run.id());
    return new RunMerge(sources, Optional.of(run), target, 2, reason);
  }

  /** Returns the rest of the merge into an incomplete run. */
  public static RunMerge continued(PlanningView.IncompleteRun incomplete) {
    Reason reason =
        Reason.ofNumbers(
            "run-in-the-making",
            "a run of L{level} is in the making, runs that feed it: {runs}",
            incomplete.run().level(),
            incomplete.sources().size());
    return into(incomplete.run(), incomplete.sources(), reason);
  }

  /** Returns a merge of all sources into a new run of a level. */
  public static RunMerge intoNewRun(
      int level, List<PlanningView.PlacedRun> sources, int minDepth, Reason reason) {
    Target target = Target.newest(level, ids(sources));
    return new RunMerge(sources, Optional.empty(), target, minDepth, reason);
  }

  private static Set<Long> ids(List<PlanningView.PlacedRun> runs) {
    Set<Long> ids = new HashSet<>();
    for (PlanningView.PlacedRun run : runs) {
      ids.add(run.id());
    }
    return ids;
  }

  /**
   * Returns the pieces: one move of all slices that can move, then the merges by ascending rank.
   */
  public Stream<CandidatePlan> candidates(PlanningView view, MergeLimits limits) {
    return candidates(view, limits, ASCENDING);
  }

  /**
   * Returns the pieces. If the space is too short for all, they are the pieces of fewer sources,
   * see {@link #ofOldestSources}. Under FREE all pieces are returned.
   */
  public Stream<CandidatePlan> withinSpace(
      PlanningView view, MergeLimits limits, long transientBytes) {
    return view.adjacent()
        ? CandidatePlan.shrunkToSpace(
            target.isNew(),
            sources.size(),
            runs -> ofOldestSources(view, runs).candidates(view, limits),
            transientBytes)
        : candidates(view, limits);
  }

  /**
   * Returns the same merge from fewer sources: the given number next to the target in the age
   * order, so that no slice passes a source that stays.
   *
   * @param runs number of sources, at most all
   */
  public RunMerge ofOldestSources(PlanningView view, int runs) {
    int place = view.agePosition(target.level(), target.run());
    int newer = 0;
    for (PlanningView.PlacedRun source : sources) {
      newer += PlanningView.agePosition(source.ageIndex()) < place ? 1 : 0;
    }
    int from = Math.max(0, newer - runs);
    List<PlanningView.PlacedRun> some = sources.subList(from, from + runs);
    Target own = target.isNew() ? Target.newest(target.level(), ids(some)) : target;
    return new RunMerge(some, targetRun, own, minDepth, reason);
  }

  /**
   * Returns the pieces for a caller that plans again after each piece: one move of all slices that
   * can move, then the merges. The merge with the largest fraction of bytes from above the target
   * level comes first. In key order, the first keys would be merged again for every small addition.
   */
  public Stream<CandidatePlan> richestFirst(PlanningView view, MergeLimits limits) {
    return candidates(
        view, limits, Comparator.comparingDouble(piece -> -piece.shareAbove(target.level())));
  }

  private Stream<CandidatePlan> candidates(
      PlanningView view, MergeLimits limits, Comparator<Piece> order) {
    List<PlacedSlice> all = PlanningView.slicesOf(sources);
    targetRun.ifPresent(run -> all.addAll(run.slices()));
    List<Piece> pieces = new ArrayList<>();
    for (OverlapCluster cluster : OverlapCluster.of(all)) {
      pieces.add(new Piece(cluster.slices(), kind(view, cluster)));
    }
    List<PlacedSlice> moves = new ArrayList<>();
    List<Piece> merges = new ArrayList<>();
    for (Piece piece : glue(pieces, limits.tableBytes())) {
      if (piece.kind == Kind.MOVE) {
        moves.addAll(piece.slices);
      } else if (piece.kind == Kind.MERGE) {
        merges.add(piece);
      }
    }
    merges.sort(order);
    Reason weighed = reason.weighing(pieceCandidates(merges));
    return Stream.concat(
        CandidatePlan.move(view, moves, target, reason).stream(),
        merges.stream()
            .map(piece -> CandidatePlan.merge(view, piece.slices, target, weighed, limits)));
  }

  /**
   * Returns the pieces with movable slices rewritten too, by ascending rank. The result has merges
   * alone. Adjacent clusters form one merge, so that the output tables reach full size. If that
   * merge exceeds the space, each of its clusters is a merge of its own.
   *
   * @param transientBytes transient bytes that one merge may take
   */
  public Stream<CandidatePlan> rewriting(
      PlanningView view, MergeLimits limits, long transientBytes) {
    List<PlacedSlice> all = PlanningView.slicesOf(sources);
    targetRun.ifPresent(run -> all.addAll(run.slices()));
    List<CandidatePlan> candidates = new ArrayList<>();
    List<OverlapCluster> stretch = new ArrayList<>();
    for (OverlapCluster cluster : OverlapCluster.of(all)) {
      Kind kind = kind(view, cluster);
      // Under FREE a table without overlap waits until others overlap it.
      boolean rewritten = kind == Kind.MERGE || (kind == Kind.MOVE && view.adjacent());
      boolean claimed = PlacedSlice.claimed(cluster.slices());
      if (!rewritten || claimed) {
        addStretch(view, stretch, limits, transientBytes, candidates);
      }
      if (rewritten) {
        stretch.add(cluster);
      }
      if (claimed) {
        addStretch(view, stretch, limits, transientBytes, candidates);
      }
    }
    addStretch(view, stretch, limits, transientBytes, candidates);
    return candidates.stream();
  }

  private void addStretch(
      PlanningView view,
      List<OverlapCluster> stretch,
      MergeLimits limits,
      long transientBytes,
      List<CandidatePlan> candidates) {
    if (stretch.isEmpty()) {
      return;
    }
    List<PlacedSlice> slices = new ArrayList<>();
    for (OverlapCluster cluster : stretch) {
      slices.addAll(cluster.slices());
    }
    CandidatePlan whole = CandidatePlan.merge(view, slices, target, reason, limits);
    if (whole.fits(transientBytes) || stretch.size() == 1) {
      candidates.add(whole);
    } else {
      for (OverlapCluster cluster : stretch) {
        candidates.add(CandidatePlan.merge(view, cluster.slices(), target, reason, limits));
      }
    }
    stretch.clear();
  }

  /**
   * Returns the merges, in the given order, as candidates of a reason; the score is the input
   * bytes.
   */
  private static List<Reason.Candidate> pieceCandidates(List<Piece> merges) {
    return merges.stream()
        .limit(Reason.MAX_CANDIDATES)
        .map(
            piece ->
                new Reason.Candidate(
                    piece.slices.get(0).facts().slice(), PlacedSlice.bytes(piece.slices)))
        .toList();
  }

  private enum Kind {
    MOVE,
    MERGE,
    STAY
  }

  private record Piece(List<PlacedSlice> slices, Kind kind) {

    /** Returns the fraction of this piece's bytes that lie above a level. */
    double shareAbove(int level) {
      long above = 0;
      long all = 0;
      for (PlacedSlice slice : slices) {
        above += slice.level() < level ? slice.bytes() : 0;
        all += slice.bytes();
      }
      return (double) above / all;
    }
  }

  private Kind kind(PlanningView view, OverlapCluster cluster) {
    if (targetRun.isPresent() && allIn(targetRun.get(), cluster)) {
      return Kind.STAY;
    }
    if (cluster.single()) {
      // Under FREE overlap alone defines runs, so a move inside its level has no effect.
      boolean there = !view.adjacent() && cluster.slices().get(0).level() == target.level();
      return there ? Kind.STAY : Kind.MOVE;
    }
    return minDepth <= 2 || cluster.depth() >= minDepth ? Kind.MERGE : Kind.STAY;
  }

  private static boolean allIn(PlanningView.PlacedRun run, OverlapCluster cluster) {
    for (PlacedSlice slice : cluster.slices()) {
      if (slice.run() != run.ageIndex()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Merges a small table between two rewritten pieces with both. Moves would otherwise leave ever
   * smaller tables behind (compare VT-tree's stitching threshold). A table is small below half of
   * the table size.
   */
  private static List<Piece> glue(List<Piece> pieces, long tableBytes) {
    List<Piece> glued = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      if (piece.kind != Kind.MERGE) {
        glued.add(piece);
        continue;
      }
      List<PlacedSlice> slices = new ArrayList<>(piece.slices);
      while (i + 2 < pieces.size()
          && pieces.get(i + 1).kind == Kind.MOVE
          && SmallTablePicker.isSmall(pieces.get(i + 1).slices.get(0).bytes(), tableBytes)
          && pieces.get(i + 2).kind == Kind.MERGE) {
        slices.addAll(pieces.get(i + 1).slices);
        slices.addAll(pieces.get(i + 2).slices);
        i += 2;
      }
      glued.add(new Piece(slices, Kind.MERGE));
    }
    return glued;
  }
}
