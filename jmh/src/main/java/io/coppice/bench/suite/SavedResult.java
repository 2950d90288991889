// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Result of one part of a run, saved in a file so that an interrupted run can resume.
 *
 * @param file the file
 * @param mark line that identifies code, machine and load; a saved result with another line is
 *     ignored
 */
public record SavedResult(Path file, String mark) {

  /** Returns the result of an earlier run; empty if there was none or it measured another load. */
  public <T> Optional<T> saved(Class<T> type) throws IOException {
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    return lines.size() < 2 || !lines.get(0).equals(mark)
        ? Optional.empty()
        : Optional.of(RecordJson.parse(lines.get(1), type));
  }

  /** Writes the whole result atomically. */
  public void save(Object result) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    String name = file.getFileName().toString();
    WholeFile.write(directory, name, mark + "\n" + RecordJson.line(result) + "\n");
  }
}
