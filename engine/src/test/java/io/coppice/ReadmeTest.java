// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs what the README and the page on embedding show. */
class ReadmeTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern EXAMPLE =
      Pattern.compile("<!-- id: example -->\\s*```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern PRINTED =
      Pattern.compile("<!-- id: printed -->\\s*```\\n(.*?)```", Pattern.DOTALL);
  private static final String EMBED = "docs/how-to/embed.md";
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)[^)]*\\)");

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
    Path source = directory.resolve(program + ".java");
    Files.writeString(source, example.group(1));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                source.toString());
    assertThat(result).as("javac's exit code").isZero();

    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader
          .loadClass(program)
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {directory.resolve("data").toString()});
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void theLinksOfTheReadmeLeadSomewhere() throws IOException {
    Matcher link = LINK.matcher(Files.readString(ROOT.resolve("README.md")));
    int links = 0;
    while (link.find()) {
      assertThat(ROOT.resolve(link.group(1))).exists();
      links++;
    }
    assertThat(links).isPositive();
  }
}
