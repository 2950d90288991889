// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A row of {@code docs/reference/third-party.md}.
 *
 * @param name group and artifact
 * @param in store, if the engine brings it along, or tool
 */
record ThirdParty(String name, String version, String licence, String in) {

  static final Path PAGE = Path.of("..", "..", "docs", "reference", "third-party.md");

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([^`:]+:[^`:]+)` \\| (\\S+) \\| (\\S+) \\| (store|tool) \\|$");

  static List<ThirdParty> rows() throws IOException {
    List<ThirdParty> rows =
        ROW.matcher(Files.readString(PAGE))
            .results()
            .map(row -> new ThirdParty(row.group(1), row.group(2), row.group(3), row.group(4)))
            .toList();
    assertThat(rows).as("rows of " + PAGE).hasSizeGreaterThan(10);
    return rows;
  }
}
