// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.SuiteRow;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The rows of stores that are read in a memory group, with their goals. */
final class GroupedRows {

  /** Bytes that the device read for an operation. */
  static final String DEVICE = "device";

  private static final double DEFAULT_OVER_READ = 0.95;
  private static final double HIT = 1;
  private static final double ABSENT = 2;
  private static final double SEEK_LEVELED = 0.9;
  private static final double SEEK_FOREST = 1;

  /** Most bytes per operation for data that are in memory. */
  private static final double MOST_OF_FITTING = 512;

  /** Least bytes per hit or seek for data that are not. */
  private static final double LEAST_OF_LARGER = 512;

  private GroupedRows() {}

  static List<RowSpec> all() {
    List<RowSpec> rows = new ArrayList<>();
    for (GroupedCell cell : GroupedCell.ALL) {
      boolean larger = !cell.fits();
      switch (cell.operation()) {
        case HIT -> {
          rows.add(overRocks(cell, "over_rocksdb", GroupedSide.FOREST, goal(larger, HIT)));
          if (larger) {
            rows.add(p99(cell));
          }
        }
        case MISS ->
            rows.add(overRocks(cell, "over_rocksdb", GroupedSide.FOREST, goal(larger, ABSENT)));
        default -> {
          rows.add(
              overRocks(
                  cell, "leveled_over_rocksdb", GroupedSide.LEVELED, goal(larger, SEEK_LEVELED)));
          rows.add(
              over(
                  cell,
                  "forest_over_rocksdb",
                  GroupedSide.FOREST,
                  List.of(GroupedSide.UNIVERSAL),
                  goal(larger, SEEK_FOREST)));
        }
      }
      rows.add(
          over(
              cell,
              "default_over_read",
              GroupedSide.FOREST,
              List.of(GroupedSide.FOREST_READ),
              DEFAULT_OVER_READ));
    }
    return rows;
  }

  private static double goal(boolean larger, double goal) {
    return larger ? goal : SuiteRow.NO_GOAL;
  }

  private static RowSpec overRocks(GroupedCell cell, String what, GroupedSide side, double goal) {
    return over(cell, what, side, GroupedSide.ROCKS, goal);
  }

  /** A side beside the fastest of others. */
  private static RowSpec over(
      GroupedCell cell, String what, GroupedSide side, List<GroupedSide> others, double goal) {
    String id = rowId(cell, what);
    Set<GroupedSide> sides = EnumSet.copyOf(others);
    sides.add(side);
    return RowSpec.ofGroup(
        id,
        cell,
        sides,
        samples -> {
          String contest = cell.id();
          String best = samples.best(contest, labels(others));
          return judged(
              cell,
              samples,
              side.label(),
              best,
              SuiteRow.moreIsBetter(
                  id,
                  "op/s",
                  samples.of(contest, side.label(), Samples.RATE),
                  samples.of(contest, best, Samples.RATE),
                  goal,
                  note(samples, contest, side, best, others)));
        });
  }

  private static RowSpec p99(GroupedCell cell) {
    String id = rowId(cell, "p99_over_rocksdb");
    Set<GroupedSide> sides = EnumSet.copyOf(GroupedSide.ROCKS);
    sides.add(GroupedSide.FOREST);
    return RowSpec.ofGroup(
        id,
        cell,
        sides,
        samples -> {
          String contest = cell.id();
          String side = GroupedSide.FOREST.label();
          String best = samples.best(contest, labels(GroupedSide.ROCKS));
          return judged(
              cell,
              samples,
              side,
              best,
              SuiteRow.lessIsBetter(
                  id,
                  "us",
                  samples.of(contest, side, Samples.P99),
                  samples.of(contest, best, Samples.P99),
                  HIT,
                  "99th percentile of the fastest mode, " + best));
        });
  }

  /** {@code memory_4x_hit_over_rocksdb_8} and the like. */
  private static String rowId(GroupedCell cell, String what) {
    String contest = cell.id();
    int clients = contest.lastIndexOf('_');
    return contest.substring(0, clients + 1) + what + contest.substring(clients);
  }

  private static List<String> labels(List<GroupedSide> sides) {
    return sides.stream().map(GroupedSide::label).toList();
  }

  /** A row without a verdict where the device says that the group had another effect than meant. */
  private static SuiteRow judged(
      GroupedCell cell, Samples samples, String side, String other, SuiteRow row) {
    for (String one : List.of(side, other)) {
      double device = samples.median(cell.id(), one, DEVICE);
      if (cell.fits() && device > MOST_OF_FITTING) {
        return row.withoutGoal(
            "not judged: %s read %.0f bytes per operation from the device, so its data did not fit"
                .formatted(one, device));
      }
      if (!cell.fits() && cell.operation() != ReadOperation.MISS && device < LEAST_OF_LARGER) {
        return row.withoutGoal(
            "not judged: %s read %.0f bytes per operation from the device, so its data were in"
                    .formatted(one, device)
                + " memory");
      }
    }
    return row;
  }

  private static String note(
      Samples samples, String contest, GroupedSide side, String best, List<GroupedSide> others) {
    StringBuilder note = new StringBuilder(side.label() + " over " + best);
    for (GroupedSide other : others) {
      note.append(
          String.format(
              Locale.ROOT,
              "; %s %,.0f",
              other.label(),
              samples.median(contest, other.label(), Samples.RATE)));
    }
    return note
        + String.format(
            Locale.ROOT,
            "; p50 %.0f and %.0f us, p99 %.0f and %.0f us, cpu %.0f and %.0f us, device %.0f and %.0f"
                + " B/op",
            samples.median(contest, side.label(), Samples.P50),
            samples.median(contest, best, Samples.P50),
            samples.median(contest, side.label(), Samples.P99),
            samples.median(contest, best, Samples.P99),
            samples.median(contest, side.label(), Samples.CPU),
            samples.median(contest, best, Samples.CPU),
            samples.median(contest, side.label(), DEVICE),
            samples.median(contest, best, DEVICE));
  }
}
