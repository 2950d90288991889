// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code .ci/changelog} on a tree that looks like ours. */
class ChangelogTest {

  @TempDir private Path tree;

  private record Ended(int code, String said) {}

  @BeforeEach
  void layTree() throws IOException {
    Files.createDirectories(tree.resolve(".ci"));
    Files.createDirectories(tree.resolve("docs/changes/next"));
    Files.copy(
        Path.of("..", ".ci", "changelog"),
        tree.resolve(".ci/changelog"),
        StandardCopyOption.COPY_ATTRIBUTES);
    Files.writeString(tree.resolve("CHANGELOG.md"), "# Changelog\n\nNewest first.\n");
  }

  @Test
  void aReleaseMovesTheNotesAndPutsItsSectionFirst() throws Exception {
    note("merges", "- Merges are [cut](../../design.md).\n");
    note("store-handles", "- Handles are [found](../../../engine/pom.xml).\n");
    assertThat(changelog("--write", "0.1.0", "2026-01-02").code()).isZero();
    note("filters", "- Filters.\n");
    assertThat(changelog("--write", "0.2.0", "2026-02-03").code()).isZero();
    assertThat(tree.resolve("CHANGELOG.md"))
        .hasContent(
            """
            # Changelog

            Newest first.

            ## 0.2.0, 2026-02-03

            ### filters

            - Filters.

            ## 0.1.0, 2026-01-02

            ### merges

            - Merges are [cut](docs/design.md).

            ### store handles

            - Handles are [found](engine/pom.xml).
            """);
    assertThat(tree.resolve("docs/changes/next")).isEmptyDirectory();
    // One level as before: what a note links to is where it was.
    assertThat(tree.resolve("docs/changes/0.1.0/merges.md"))
        .hasContent("- Merges are [cut](../../design.md).");
    assertThat(tree.resolve("docs/changes/0.2.0/filters.md")).exists();
  }

  @Test
  void withoutWriteNothingChanges() throws Exception {
    note("filters", "- Filters.\n");
    assertThat(changelog("0.1.0", "2026-01-02"))
        .isEqualTo(new Ended(0, "## 0.1.0, 2026-01-02\n\n### filters\n\n- Filters.\n"));
    assertThat(tree.resolve("CHANGELOG.md")).hasContent("# Changelog\n\nNewest first.");
    assertThat(tree.resolve("docs/changes/next/filters.md")).exists();
  }

  @Test
  void aReleaseWithoutNotesAndOneMadeAlreadyAreRefused() throws Exception {
    assertThat(changelog("--write", "0.1.0", "2026-01-02"))
        .isEqualTo(new Ended(3, "docs/changes/next has no note: nothing to gather\n"));
    note("filters", "- Filters.\n");
    assertThat(changelog("--write", "0.1.0", "2026-01-02").code()).isZero();
    note("merges", "- Merges.\n");
    assertThat(changelog("--write", "0.1.0", "2026-01-02"))
        .isEqualTo(new Ended(3, "0.1.0 was gathered already\n"));
    assertThat(tree.resolve("docs/changes/next/merges.md")).exists();
  }

  /** Else nobody would see what the next version breaks. */
  @Test
  void ofWhatWasReleasedTheApiIsKept() throws IOException {
    if (Files.readString(Path.of("..", "CHANGELOG.md")).contains("\n## ")) {
      assertThat(Path.of("src", "api", "baseline.jar")).as("made by .ci/baseline").exists();
    }
  }

  private void note(String topic, String text) throws IOException {
    Files.writeString(tree.resolve("docs/changes/next").resolve(topic + ".md"), text);
  }

  private Ended changelog(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(tree.resolve(".ci/changelog").toString());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), said);
  }
}
