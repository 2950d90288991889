// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.util.List;
import java.util.Optional;

/**
 * A process at one instant.
 *
 * @param version of Cassandra; empty for another process
 * @param limits what it lets compactions do
 * @param plugin whether it is seen to have the plugin, in a version of Cassandra and on a JDK for
 *     it
 */
record NodeView(
    long atMillis,
    String version,
    Limits limits,
    boolean plugin,
    List<LiveTable> tables,
    List<Compaction> compactions) {

  /**
   * What a process lets compactions do; -1 where it does not tell.
   *
   * @param compactors how many of them at once
   * @param bytesPerSecond how fast all of them together; 0 for no limit
   */
  record Limits(long compactors, long bytesPerSecond) {
    static final Limits UNKNOWN = new Limits(-1, -1);
  }

  /** None of it. */
  static final NodeView NOTHING = new NodeView(0, "", Limits.UNKNOWN, false, List.of(), List.of());

  Optional<LiveTable> table(String id) {
    return tables.stream().filter(table -> table.id().equals(id)).findFirst();
  }
}
