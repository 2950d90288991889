// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Needs;
import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each patch that {@code .ci/take-back} applies fits the present sources, and names its row and
 * tests that exist. The script itself runs by hand.
 */
class TakeBackTest {

  private static final Path PATCHES = Path.of("src/test/takeback");
  private static final Pattern TEST =
      Pattern.compile("(?:random model|generated test|unit law): (\\S+)( -D\\S+)*");

  static List<Path> patches() throws IOException {
    try (Stream<Path> all = Files.list(PATCHES)) {
      return all.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("patches")
  void aPatchNamesItsRowAndTests(Path patch) throws IOException {
    List<String> header =
        Files.readAllLines(patch).stream().takeWhile(line -> !line.isEmpty()).toList();
    assertThat(header.get(0)).startsWith("row: ");
    assertThat(header.get(1)).startsWith("fault: ").endsWith(".");
    assertThat(header).hasSizeGreaterThan(2);
    List<String> classes = Sources.testClasses();
    for (String line : header.subList(2, header.size())) {
      assertThat(line).matches(TEST);
      for (String test : line.split(": ")[1].split(" ")[0].split(",")) {
        assertThat(classes).contains(test.split("#")[0]);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("patches")
  void aPatchApplies(Path patch) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "apply", "--check"));
    command.add(patch.toAbsolutePath().toString());
    Process git;
    try {
      git =
          new ProcessBuilder(command)
              .directory(Path.of("..", "..").toFile())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Needs.that(false, "there is no git to check that patches apply: " + e.getMessage());
      return;
    }
    String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor())
        .as("%s no longer applies; bring the same fault back in the new source: %s", patch, said)
        .isZero();
  }
}
