// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.util.List;
import java.util.Optional;

/**
 * A process at one instant.
 *
 * @param version of Cassandra; empty for another process
 */
record NodeView(
    long atMillis, String version, List<LiveTable> tables, List<Compaction> compactions) {

  /** None of it. */
  static final NodeView NOTHING = new NodeView(0, "", List.of(), List.of());

  Optional<LiveTable> table(String id) {
    return tables.stream().filter(table -> table.id().equals(id)).findFirst();
  }
}
