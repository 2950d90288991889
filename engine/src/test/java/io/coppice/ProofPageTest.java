// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every promise has tests, and they exist. */
class ProofPageTest {

  private static final Path PAGE = Path.of("..", "docs", "explanation", "proof.md");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| (`[^|]+`) \\|$");
  private static final Pattern TEST = Pattern.compile("`(\\w+)`");
  private static final int PROMISES = 10;

  private static final List<String> MODULES = List.of("engine", "cassandra-plugin");

  @Test
  void everyPromiseIsKeptByTestsThatExist() throws IOException {
    Set<String> present = new TreeSet<>();
    for (String module : MODULES) {
      try (Stream<Path> sources = Files.walk(Path.of("..", module, "src", "test", "java"))) {
        sources
            .map(path -> path.getFileName().toString().replace(".java", ""))
            .forEach(present::add);
      }
    }
    List<String> rows =
        ROW.matcher(Files.readString(PAGE)).results().map(row -> row.group(2)).toList();
    assertThat(rows).hasSize(PROMISES);
    for (String row : rows) {
      Matcher test = TEST.matcher(row);
      while (test.find()) {
        assertThat(present).contains(test.group(1));
      }
    }
  }
}
