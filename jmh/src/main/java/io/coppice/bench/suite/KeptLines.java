// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lines of one part of a run, saved in a file so that an incomplete run can resume.
 *
 * @param mark line that identifies code, machine and load; lines under another mark do not count
 */
public record KeptLines(Path file, String mark) {

  /** The lines of an earlier run; empty if there was none or it measured something else. */
  public Optional<List<String>> kept() throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file);
    return lines.isEmpty() || !lines.get(0).equals(mark)
        ? Optional.empty()
        : Optional.of(lines.subList(1, lines.size()));
  }

  /** Writes all lines or none. */
  public void keep(List<String> told) throws IOException {
    List<String> lines = new ArrayList<>(List.of(mark));
    lines.addAll(told);
    WholeFile.write(
        file.toAbsolutePath().getParent(),
        file.getFileName().toString(),
        String.join("\n", lines) + "\n");
  }
}
