// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Draws the pictures of the pages again from the figures that they show. */
class SummaryPictureTest {

  private static final Path IMAGES = Path.of("..", "..", "docs", "img");

  @TempDir private Path directory;

  @Test
  void thePictureShowsTheCommittedFigures() throws IOException, InterruptedException {
    compare("Summary.java", IMAGES.resolve("compare.json"), "summary.svg");
  }

  @Test
  void thePictureOfPoliciesShowsTheirTable() throws IOException, InterruptedException {
    compare("Choose.java", Path.of("..", "..", "docs", "policies", "choose.md"), "choose.svg");
  }

  private void compare(String program, Path figures, String picture)
      throws IOException, InterruptedException {
    Path drawn = directory.resolve(picture);
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                IMAGES.resolve(program).toString(),
                figures.toString(),
                drawn.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    assertThat(IMAGES.resolve(picture)).hasSameTextualContentAs(drawn);
  }
}
