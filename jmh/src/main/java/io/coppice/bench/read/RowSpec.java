// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.SuiteRow;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One row of the suite before it is measured.
 *
 * @param id never renamed once published
 * @param contests of ours that must have been measured, by id
 * @param cells beside RocksDB, by id
 * @param grouped cells in a memory group, by id
 * @param sides those of the cells in a memory group that it compares
 * @param counts true if it needs what is counted, not timed
 * @param row makes it of all that was measured
 */
record RowSpec(
    String id,
    List<String> contests,
    List<String> cells,
    List<GroupedCell> grouped,
    Set<GroupedSide> sides,
    boolean counts,
    Function<Samples, SuiteRow> row) {

  static RowSpec ofContest(String id, String contest, Function<Samples, SuiteRow> row) {
    return new RowSpec(id, List.of(contest), List.of(), List.of(), Set.of(), false, row);
  }

  static RowSpec ofCell(String id, String cell, Function<Samples, SuiteRow> row) {
    return new RowSpec(id, List.of(), List.of(cell), List.of(), Set.of(), false, row);
  }

  static RowSpec ofCounts(String id, Function<Samples, SuiteRow> row) {
    return new RowSpec(id, List.of(), List.of(), List.of(), Set.of(), true, row);
  }

  static RowSpec ofGroup(
      String id, GroupedCell cell, Set<GroupedSide> sides, Function<Samples, SuiteRow> row) {
    return new RowSpec(id, List.of(), List.of(), List.of(cell), sides, false, row);
  }

  /** Returns the ids of contests and of cells in a group. */
  List<String> contested() {
    return Stream.concat(contests.stream(), grouped.stream().map(GroupedCell::id)).toList();
  }
}
