// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

  /** Returns whether its sides take turns in one process. */
  boolean contest() {
    return is("best", "pair");
  }

  /** Returns the cell whose sides have their own processes. */
  Optional<ReadCell> cell() {
    return is("cell", "group", "p99") ? Optional.of(ReadCell.named(on)) : Optional.empty();
  }

  /** Returns whether the row needs a memory group. */
  boolean grouped() {
    return cell().filter(cell -> cell.memory().limited()).isPresent();
  }

  /** Returns the sides of the row's cell. */
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
