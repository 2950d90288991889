// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The costs of one module's test classes, a line for each. Several JVMs append at once: a line is
 * one write.
 */
record CostFile(Path path) {

  void add(Cost cost) throws IOException {
    Files.createDirectories(path.getParent());
    Files.writeString(path, cost.line(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Returns the costs of one build. The records of others are older ones. */
  List<Cost> of(String build) throws IOException {
    if (Files.notExists(path)) {
      return List.of();
    }
    return Files.readAllLines(path).stream()
        .map(Cost::parse)
        .filter(cost -> cost.build().equals(build))
        .toList();
  }
}
