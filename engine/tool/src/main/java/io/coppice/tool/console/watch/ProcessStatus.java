// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import java.util.List;
import java.util.Optional;

/**
 * The state of a process at one instant.
 *
 * @param atMillis start of the sample in milliseconds since 1970; 0 before the first
 * @param version the version of Cassandra; empty for another process
 * @param limits the compaction limits of the process
 * @param plugin whether the process has the plugin, and a version of Cassandra and a JDK that fit
 *     the plugin
 */
public record ProcessStatus(
    long atMillis,
    String version,
    Limits limits,
    boolean plugin,
    List<LiveTable> tables,
    List<RunningCompaction> compactions) {

  /**
   * Compaction limits of a process; -1 if unknown.
   *
   * @param compactors the number of compactions at once
   * @param bytesPerSecond their total throughput; 0 for no limit
   */
  public record Limits(long compactors, long bytesPerSecond) {
    public static final Limits UNKNOWN = new Limits(-1, -1);
  }

  /** The state before the first sample. */
  public static final ProcessStatus NOTHING =
      new ProcessStatus(0, "", Limits.UNKNOWN, false, List.of(), List.of());

  public Optional<LiveTable> table(String id) {
    return tables.stream().filter(table -> table.id().equals(id)).findFirst();
  }
}
