// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.SuiteRow;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A row of the suite, as defined in its table.
 *
 * @param on id of the contest or cell
 * @param side measured side; of several, the fastest
 * @param others sides on the other side of the comparison
 * @param goal ratio, or for counts a bound; not a number for none
 */
record RowSpec(
    String id, String kind, String on, List<String> side, List<String> others, double goal) {

  private boolean is(String... kinds) {
    return List.of(kinds).contains(kind);
  }

  List<String> contests() {
    return is("best", "pair") ? List.of(on) : List.of();
  }

  /** Returns the cells beside RocksDB. */
  List<String> cells() {
    return is("cell") ? List.of(on) : List.of();
  }

  /** Returns the cells in memory groups. */
  List<GroupedCell> grouped() {
    return is("group", "p99") ? List.of(GroupedCell.named(on)) : List.of();
  }

  /** Returns the sides that a memory group needs. */
  Set<GroupedSide> sides() {
    Set<GroupedSide> sides = EnumSet.noneOf(GroupedSide.class);
    if (!grouped().isEmpty()) {
      Stream.concat(side.stream(), others.stream())
          .forEach(label -> sides.add(GroupedSide.valueOf(label.toUpperCase(Locale.ROOT))));
    }
    return sides;
  }

  boolean counts() {
    return is("counts");
  }

  /** Returns what a machine may be unable to measure. */
  List<String> contested() {
    return is("best", "pair", "group", "p99") ? List.of(on) : List.of();
  }

  Function<Samples, SuiteRow> row() {
    return samples -> ReadRows.row(this, samples);
  }
}
