// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The picture of the README shows the figures of the committed comparison. */
class SummaryPictureTest {

  private static final Path IMAGES = Path.of("..", "docs", "img");

  @TempDir private Path directory;

  @Test
  void thePictureShowsTheCommittedFigures() throws IOException, InterruptedException {
    Path drawn = directory.resolve("summary.svg");
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                IMAGES.resolve("Summary.java").toString(),
                IMAGES.resolve("compare.json").toString(),
                drawn.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    assertThat(IMAGES.resolve("summary.svg")).hasSameTextualContentAs(drawn);
  }
}
