// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Several runs becoming one, piece by piece (SifrDB, sections 3.1 and 3.2): slices that overlap no
 * other move, each cluster of overlap is one merge. The pieces may be planned in any order and at
 * the same time; each leaves a legal shape from which the rest follows again.
 *
 * @param sources the runs to empty, newest first
 * @param resident the target run if it exists; a cluster it overlaps takes its slices in, elsewhere
 *     they stay and separate
 * @param target where the pieces go
 * @param leastDepth clusters in which fewer slices lie over each other wait; 2 takes all
 * @param reason why
 */
record Join(
    List<Layout.PlacedRun> sources,
    Optional<Layout.PlacedRun> resident,
    Target target,
    int leastDepth,
    Reason reason) {

  /** As they were found along the keys. */
  private static final Comparator<Piece> ASCENDING = (a, b) -> 0;

  /** Continues a run in the making, or folds runs into an existing one. */
  static Join into(Layout.PlacedRun run, List<Layout.PlacedRun> sources, Reason reason) {
    Target target = Target.join(run.level(), run.id());
    return new Join(sources, Optional.of(run), target, 2, reason);
  }

  /** Continues a run in the making. */
  static Join continued(Layout.Filling filling) {
    Reason reason =
        Reason.of(
            "run-in-the-making",
            "a run of L{level} is in the making, runs that feed it: {runs}",
            "level",
            filling.run().level(),
            "runs",
            filling.sources().size());
    return into(filling.run(), filling.sources(), reason);
  }

  /** Starts a run that all sources will feed. */
  static Join fresh(int level, List<Layout.PlacedRun> sources, int leastDepth, Reason reason) {
    Target target = Target.newest(level, ids(sources));
    return new Join(sources, Optional.empty(), target, leastDepth, reason);
  }

  private static Set<Long> ids(List<Layout.PlacedRun> runs) {
    Set<Long> ids = new HashSet<>();
    for (Layout.PlacedRun run : runs) {
      ids.add(run.id());
    }
    return ids;
  }

  /** The pieces: one move of all that can move, then the merges by ascending rank. */
  Stream<Wish> wishes(Layout layout, MergeLimits limits) {
    return wishes(layout, limits, ASCENDING);
  }

  /** The pieces; where space is short those of fewer of the sources, which come first. */
  Stream<Wish> fitting(Layout layout, MergeLimits limits, long transientBytes) {
    return layout.adjacent()
        ? Wish.shrinking(
            target.isNew(),
            sources.size(),
            runs -> some(layout, runs).wishes(layout, limits),
            transientBytes)
        : wishes(layout, limits);
  }

  /** The same from so many of the sources: those next to the run, so that none passes another. */
  Join some(Layout layout, int runs) {
    int place = layout.position(target.level(), target.run());
    int newer = 0;
    for (Layout.PlacedRun source : sources) {
      newer += Layout.position(source.place()) < place ? 1 : 0;
    }
    int from = Math.max(0, newer - runs);
    List<Layout.PlacedRun> some = sources.subList(from, from + runs);
    Target own = target.isNew() ? Target.newest(target.level(), ids(some)) : target;
    return new Join(some, resident, own, leastDepth, reason);
  }

  /**
   * The pieces where each is judged anew: one move of all that can move, then the merges, those
   * first that bring most to their target for what lies there and is written again. By rank, the
   * first keys would be merged again for every little that comes to them.
   */
  Stream<Wish> richestFirst(Layout layout, MergeLimits limits) {
    return wishes(
        layout, limits, Comparator.comparingDouble(piece -> -piece.shareAbove(target.level())));
  }

  private Stream<Wish> wishes(Layout layout, MergeLimits limits, Comparator<Piece> order) {
    List<Placed> all = Layout.slicesOf(sources);
    resident.ifPresent(run -> all.addAll(run.slices()));
    List<Piece> pieces = new ArrayList<>();
    for (Cluster cluster : Cluster.of(all)) {
      pieces.add(new Piece(cluster.slices(), kind(layout, cluster)));
    }
    List<Placed> moves = new ArrayList<>();
    List<Piece> merges = new ArrayList<>();
    for (Piece piece : glue(pieces, limits.tableBytes())) {
      if (piece.kind == Kind.MOVE) {
        moves.addAll(piece.slices);
      } else if (piece.kind == Kind.MERGE) {
        merges.add(piece);
      }
    }
    merges.sort(order);
    Reason weighed = reason.weighing(candidates(merges));
    return Stream.concat(
        Wish.move(layout, moves, target, reason).stream(),
        merges.stream().map(piece -> Wish.merge(layout, piece.slices, target, weighed, limits)));
  }

  /**
   * The pieces when also what could move is rewritten: merges alone, each of as many neighbouring
   * clusters as fit the space, for tables that fill up.
   *
   * @param transientBytes what a merge may take of the disk
   */
  Stream<Wish> rewriting(Layout layout, MergeLimits limits, long transientBytes) {
    List<Placed> all = Layout.slicesOf(sources);
    resident.ifPresent(run -> all.addAll(run.slices()));
    List<Wish> wishes = new ArrayList<>();
    List<Cluster> stretch = new ArrayList<>();
    for (Cluster cluster : Cluster.of(all)) {
      Kind kind = kind(layout, cluster);
      // Under FREE a table that lies alone waits until others lie over it.
      boolean rewritten = kind == Kind.MERGE || (kind == Kind.MOVE && layout.adjacent());
      boolean claimed = Placed.claimed(cluster.slices());
      if (!rewritten || claimed) {
        addStretch(layout, stretch, limits, transientBytes, wishes);
      }
      if (rewritten) {
        stretch.add(cluster);
      }
      if (claimed) {
        addStretch(layout, stretch, limits, transientBytes, wishes);
      }
    }
    addStretch(layout, stretch, limits, transientBytes, wishes);
    return wishes.stream();
  }

  private void addStretch(
      Layout layout,
      List<Cluster> stretch,
      MergeLimits limits,
      long transientBytes,
      List<Wish> wishes) {
    if (stretch.isEmpty()) {
      return;
    }
    List<Placed> slices = new ArrayList<>();
    for (Cluster cluster : stretch) {
      slices.addAll(cluster.slices());
    }
    Wish whole = Wish.merge(layout, slices, target, reason, limits);
    if (whole.fits(transientBytes) || stretch.size() == 1) {
      wishes.add(whole);
    } else {
      for (Cluster cluster : stretch) {
        wishes.add(Wish.merge(layout, cluster.slices(), target, reason, limits));
      }
    }
    stretch.clear();
  }

  /** The merges in the order of the wishes; the score is the input bytes. */
  private static List<Reason.Candidate> candidates(List<Piece> merges) {
    return merges.stream()
        .limit(Reason.MAX_CANDIDATES)
        .map(
            piece ->
                new Reason.Candidate(
                    piece.slices.get(0).facts().slice(), Placed.bytes(piece.slices)))
        .toList();
  }

  private enum Kind {
    MOVE,
    MERGE,
    STAY
  }

  private record Piece(List<Placed> slices, Kind kind) {

    /** The share of its bytes that lie above a level. */
    double shareAbove(int level) {
      long above = 0;
      long all = 0;
      for (Placed slice : slices) {
        above += slice.level() < level ? slice.bytes() : 0;
        all += slice.bytes();
      }
      return (double) above / all;
    }
  }

  private Kind kind(Layout layout, Cluster cluster) {
    if (resident.isPresent() && allIn(resident.get(), cluster)) {
      return Kind.STAY;
    }
    if (cluster.single()) {
      // Under FREE runs are drawn by overlap alone, so inside its level there is nowhere to go.
      boolean there = !layout.adjacent() && cluster.slices().get(0).level() == target.level();
      return there ? Kind.STAY : Kind.MOVE;
    }
    return leastDepth <= 2 || cluster.depth() >= leastDepth ? Kind.MERGE : Kind.STAY;
  }

  private static boolean allIn(Layout.PlacedRun run, Cluster cluster) {
    for (Placed slice : cluster.slices()) {
      if (slice.run() != run.place()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Rewrites a small table between two that are rewritten, as moves would otherwise leave ever
   * smaller tables behind (the analogue of VT-tree's stitching threshold). Small means under half
   * of a table.
   */
  private static List<Piece> glue(List<Piece> pieces, long tableBytes) {
    List<Piece> glued = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      if (piece.kind != Kind.MERGE) {
        glued.add(piece);
        continue;
      }
      List<Placed> slices = new ArrayList<>(piece.slices);
      while (i + 2 < pieces.size()
          && pieces.get(i + 1).kind == Kind.MOVE
          && SmallTables.isSmall(pieces.get(i + 1).slices.get(0).bytes(), tableBytes)
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
