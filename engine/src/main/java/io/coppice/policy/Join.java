// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Several runs becoming one, piece by piece (SifrDB, sections 3.1 and 3.2): slices that overlap no
 * other move, each cluster of overlap is one merge. The pieces may be planned in any order and at
 * the same time; each leaves a legal shape from which the rest follows again.
 *
 * @param sources the runs to empty, newest first
 * @param resident what the target run already holds; a cluster it overlaps takes it in, elsewhere
 *     it stays and separates
 * @param target where the pieces go
 * @param leastDepth clusters in which fewer slices lie over each other wait; 2 takes all
 * @param reason why
 */
record Join(
    List<Layout.PlacedRun> sources,
    List<Placed> resident,
    Target target,
    int leastDepth,
    Reason reason) {

  /** Continues a run in the making, or folds runs into an existing one. */
  static Join into(Layout.PlacedRun run, List<Layout.PlacedRun> sources, Reason reason) {
    return new Join(sources, run.slices(), Target.join(run.level(), run.id()), 2, reason);
  }

  /** Starts a run that all sources will feed. */
  static Join fresh(int level, List<Layout.PlacedRun> sources, int leastDepth, Reason reason) {
    return new Join(sources, List.of(), Target.newest(level, ids(sources)), leastDepth, reason);
  }

  private static Set<Long> ids(List<Layout.PlacedRun> runs) {
    return runs.stream().map(Layout.PlacedRun::id).collect(Collectors.toSet());
  }

  /** The pieces: one move of all that can move, then the merges by ascending rank. */
  List<Wish> wishes(Layout layout, long tableBytes) {
    List<Placed> all = Layout.slicesOf(sources);
    all.addAll(resident);
    Set<Long> staying =
        resident.stream().map(slice -> slice.facts().slice()).collect(Collectors.toSet());
    List<Piece> pieces = new ArrayList<>();
    for (Cluster cluster : Cluster.of(all)) {
      pieces.add(new Piece(cluster.slices(), kind(layout, cluster, staying)));
    }
    List<Placed> moves = new ArrayList<>();
    List<Wish> merges = new ArrayList<>();
    for (Piece piece : glue(pieces, tableBytes)) {
      if (piece.kind == Kind.MOVE) {
        moves.addAll(piece.slices);
      } else if (piece.kind == Kind.MERGE) {
        merges.add(Wish.merge(layout, piece.slices, target, reason));
      }
    }
    List<Wish> wishes = new ArrayList<>();
    Wish.move(layout, moves, target, reason).ifPresent(wishes::add);
    wishes.addAll(merges);
    return wishes;
  }

  private enum Kind {
    MOVE,
    MERGE,
    STAY
  }

  private record Piece(List<Placed> slices, Kind kind) {}

  private Kind kind(Layout layout, Cluster cluster, Set<Long> staying) {
    if (cluster.slices().stream().allMatch(slice -> staying.contains(slice.facts().slice()))) {
      return Kind.STAY;
    }
    if (cluster.single()) {
      // Under FREE runs are drawn by overlap alone, so inside its level there is nowhere to go.
      boolean there = !layout.adjacent() && cluster.slices().get(0).level() == target.level();
      return there ? Kind.STAY : Kind.MOVE;
    }
    return leastDepth <= 2 || cluster.depth() >= leastDepth ? Kind.MERGE : Kind.STAY;
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
          && SmallTables.isSmall(pieces.get(i + 1).slices.get(0), tableBytes)
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
