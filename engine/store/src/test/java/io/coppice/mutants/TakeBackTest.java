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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each patch that {@code .ci/take-back} applies fits the present sources, names tests that exist,
 * and has its row in {@code docs/explanation/faults.md}. The script itself runs by hand.
 */
class TakeBackTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Path PATCHES = ROOT.resolve(Path.of(".ci", "faults"));
  private static final String PROMISE = "promise: ";
  private static final String FAULT = "fault: ";
  private static final Pattern TESTS =
      Pattern.compile("(?:random model|generated test|unit law|node test): (\\S+)( -D\\S+)*");

  private static final Path PAGE = ROOT.resolve(Path.of("docs", "explanation", "faults.md"));

  private static List<Path> testFiles;

  @BeforeAll
  static void findTestFiles() throws IOException {
    testFiles = Sources.testFiles();
  }

  static List<Path> patches() throws IOException {
    try (Stream<Path> all = Files.list(PATCHES)) {
      return all.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("patches")
  void aPatchNamesItsPromiseAndTests(Path patch) throws IOException {
    List<String> header =
        Files.readAllLines(patch).stream().takeWhile(line -> !line.isEmpty()).toList();
    assertThat(header.get(0)).startsWith(PROMISE);
    assertThat(header.get(1)).startsWith(FAULT).endsWith(".");
    assertThat(header).hasSizeGreaterThan(2);
    List<String> laws = new ArrayList<>();
    for (String line : header.subList(2, header.size())) {
      Matcher tests = TESTS.matcher(line);
      assertThat(tests.matches()).as(line).isTrue();
      for (String test : tests.group(1).split(",")) {
        laws.add("`" + test + "`");
        String[] classAndMethod = test.split("#");
        Path file = Path.of(classAndMethod[0].replace('.', '/') + ".java");
        List<Path> found = testFiles.stream().filter(known -> known.endsWith(file)).toList();
        assertThat(found).as("%s; name the package if several classes match", test).hasSize(1);
        if (classAndMethod.length > 1) {
          assertThat(found.get(0)).content().contains(" void " + classAndMethod[1] + "(");
        }
      }
    }
    String row =
        String.format(
            "| %s | %s | [%s](../../.ci/faults/%s) |",
            header.get(0).substring(PROMISE.length()),
            String.join(", ", laws),
            header.get(1).substring(FAULT.length()),
            patch.getFileName());
    assertThat(PAGE).content().contains(row);
  }

  @ParameterizedTest
  @MethodSource("patches")
  void aPatchApplies(Path patch) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "apply", "--check"));
    command.add(patch.toAbsolutePath().toString());
    Process git;
    try {
      git = new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).start();
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
