// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The way into a level of leveled: its newest run, what that holds, and the target that plans name.
 * A segment is taken whole, as its slices lie over each other.
 *
 * <p>A <em>loose</em> level is one of whole tables that may lie over each other, as delays make it
 * under {@link MergeRule#FREE}: all its runs count, and plans need not name one.
 */
final class Entrance {

  private final Layout layout;
  private final int vct;
  private final MergeLimits limits;
  private final Target target;
  private final List<Layout.PlacedRun> runs;
  private final boolean awaited;

  /**
   * The entrance of a level.
   *
   * @param vct merges of fewer tables are delayed; 0 and 1 delay none
   */
  Entrance(Layout layout, int level, int vct, MergeLimits limits) {
    this.layout = layout;
    this.vct = vct;
    this.limits = limits;
    List<Layout.PlacedRun> all = layout.runs(level);
    boolean loose = loose(layout, vct);
    runs = loose || all.isEmpty() ? all : all.subList(0, 1);
    target = loose || all.isEmpty() ? Target.newest(level) : Target.join(level, all.get(0).id());
    // A job may be about to bring the level's first run; a second one would lie beside it.
    awaited =
        layout.adjacent()
            && all.isEmpty()
            && layout.shape().jobs().stream().anyMatch(job -> job.level() == level);
  }

  MergeLimits limits() {
    return limits;
  }

  /** True if levels are kept loose. */
  static boolean loose(Layout layout, int vct) {
    return !layout.adjacent() && vct > 1;
  }

  /** The runs that take in slices: the newest, or all of a loose level. */
  List<Layout.PlacedRun> runs() {
    return runs;
  }

  /** The residents over the ranks, both inclusive, run by run by ascending rank. */
  List<Placed> over(int low, int high) {
    List<Placed> over = new ArrayList<>();
    for (Layout.PlacedRun run : runs) {
      over.addAll(run.over(low, high));
    }
    return over;
  }

  /**
   * Takes in slices together with the residents they meet, both whole segments: a merge, or a delay
   * if fewer than {@code vct} tables take part (dCompaction, algorithm 1). As only distinct tables
   * count, and a delay lists tables and never other virtual segments, what it makes has at most
   * {@code vct - 1} parents. Into a loose level only the slices themselves go.
   */
  Wish take(List<Placed> slices, List<Placed> met, Reason reason) {
    List<Placed> all = new ArrayList<>(slices);
    all.addAll(met);
    if (vct <= 1) {
      return Wish.merge(layout, all, target, reason, limits).holding(awaited);
    }
    boolean loose = loose(layout, vct);
    int tables = loose ? depth(all) : Placed.tables(all);
    Reason counted = reason.and("{tables} tables, vct is {vct}", "tables", tables, "vct", vct);
    if (tables >= vct) {
      return Wish.merge(layout, all, target, counted, limits).holding(awaited);
    }
    return loose
        ? Wish.delay(layout, slices, target, 1, counted)
        : Wish.delay(layout, all, target, segments(all), counted).holding(awaited);
  }

  /** How many tables lie over one key at most. */
  private static int depth(List<Placed> slices) {
    return Cluster.of(slices).stream().mapToInt(Cluster::depth).max().orElse(0);
  }

  private int segments(List<Placed> slices) {
    long bytes = Placed.bytes(slices);
    long segments = Math.round((double) bytes / limits.tableBytes());
    return (int) Math.max(1, Math.min(Plan.Delay.MAX_SEGMENTS, segments));
  }

  Optional<Wish> move(List<Placed> slices, Reason reason) {
    return awaited ? Optional.empty() : Wish.move(layout, slices, target, reason);
  }
}
