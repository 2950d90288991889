// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every promise has tests, and they exist. */
class ProofPageTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "explanation", "proof.md");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| (`[^|]+`) \\|$");
  private static final Pattern TEST = Pattern.compile("`(\\w+)`");
  private static final int PROMISES = 10;

  @Test
  void everyPromiseIsKeptByTestsThatExist() throws IOException {
    List<String> present = Sources.testClasses();
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
