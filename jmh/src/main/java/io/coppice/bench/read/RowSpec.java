// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Specification of a row of the suite {@code read}: a line of its table.
 *
 * @param id stable id of the row
 * @param kind name of the way to compute the row
 * @param on id of the {@link Contest} or {@link ReadCell} that it needs
 * @param side names of the judged sides; the fastest of them counts
 * @param others names of the sides that they are compared with
 * @param goal least ratio, or the bound of a count; NaN for none
 */
record RowSpec(
    String id, String kind, String on, List<String> side, List<String> others, double goal) {

  private boolean is(String... kinds) {
    return List.of(kinds).contains(kind);
  }

  /** Returns whether the row needs a {@link Contest}, whose sides take turns in one process. */
  boolean contest() {
    return is("best", "pair");
  }

  /**
   * Returns the {@link ReadCell} that the row needs, whose sides have their own processes; empty
   * for other rows.
   */
  Optional<ReadCell> cell() {
    return is("cell", "group", "p99") ? Optional.of(ReadCell.named(on)) : Optional.empty();
  }

  /** Returns whether the row needs a control group that limits the memory of its processes. */
  boolean grouped() {
    return cell().filter(cell -> cell.memory().limited()).isPresent();
  }

  /** Returns the sides whose processes the row needs; empty without a {@link ReadCell}. */
  Set<ReadSide> sides() {
    Set<ReadSide> sides = EnumSet.noneOf(ReadSide.class);
    cell()
        .ifPresent(
            cell ->
                Stream.concat(side.stream(), others.stream())
                    .forEach(label -> sides.add(ReadSide.named(label, cell.memory()))));
    return sides;
  }

  boolean counts() {
    return is("counts");
  }
}
