// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs what the README and the page on embedding show. */
class ReadmeTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Pattern EXAMPLE =
      Pattern.compile("<!-- id: example -->\\s*```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern PRINTED =
      Pattern.compile("<!-- id: printed -->\\s*```\\n(.*?)```", Pattern.DOTALL);
  private static final String EMBED = "docs/how-to/embed.md";

  @TempDir Path directory;

  @Test
  void theExampleOfTheReadmeCompilesAndRuns() throws Exception {
    assertThat(printed("README.md", "Example")).containsExactly("fast", "oak", "willow");
  }

  @Test
  void theProgramThatEmbedsTheStorePrintsWhatItsPageSays() throws Exception {
    Matcher said = PRINTED.matcher(Files.readString(ROOT.resolve(EMBED)));
    assertThat(said.find()).as(EMBED + " has a block with id printed").isTrue();
    assertThat(printed(EMBED, "Embedded"))
        .containsExactlyElementsOf(said.group(1).lines().toList());
  }

  private List<String> printed(String page, String program) throws Exception {
    Matcher example = EXAMPLE.matcher(Files.readString(ROOT.resolve(page)));
    assertThat(example.find()).as(page + " has a block with id example").isTrue();
    return Program.run(directory, program, example.group(1), directory.resolve("data").toString());
  }
}
