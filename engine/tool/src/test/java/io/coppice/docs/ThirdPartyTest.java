// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Libraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of libraries names those that are shipped, and their licences may be shipped. */
class ThirdPartyTest {

  private static final Set<String> OF_STORES = Set.of("Apache-2.0", "MIT");
  private static final Set<String> OF_THE_TOOL =
      Set.of("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause");

  @Test
  void thePageNamesEachLibraryAndItsVersion() throws IOException {
    Set<String> resolved = new TreeSet<>();
    Set<String> brought =
        Libraries.read("store").stream()
            .filter(library -> !library.optional())
            .map(Libraries.Library::name)
            .collect(Collectors.toSet());
    for (Libraries.Library library : Libraries.read("tool")) {
      String in = brought.contains(library.name()) ? "store" : "tool";
      resolved.add(library.name() + " " + library.version() + " " + in);
    }
    Set<String> shown = new TreeSet<>();
    for (ThirdParty row : ThirdParty.rows()) {
      shown.add(row.name() + " " + row.version() + " " + row.in());
    }
    assertThat(shown).isEqualTo(resolved);
  }

  @Test
  void noLicenceAsksForMoreThanItsMention() throws IOException {
    for (ThirdParty row : ThirdParty.rows()) {
      assertThat(row.in().equals("store") ? OF_STORES : OF_THE_TOOL)
          .as(row.name())
          .contains(row.licence());
    }
  }

  @Test
  void theTextOfEachOtherLicenceIsThere() throws IOException {
    List<String> lines =
        Files.readAllLines(ThirdParty.PAGE.resolveSibling("licences.txt")).stream()
            .filter(line -> line.matches("\\S+: .*:.*"))
            .toList();
    for (ThirdParty row : ThirdParty.rows()) {
      if (!row.licence().equals("Apache-2.0")) {
        assertThat(lines)
            .as(row.name())
            .anyMatch(line -> line.startsWith(row.licence() + ": ") && line.contains(row.name()));
      }
    }
    assertThat(Path.of("..", "..", "LICENSE")).content().contains("Version 2.0, January 2004");
  }
}
