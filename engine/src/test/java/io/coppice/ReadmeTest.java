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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs what the README shows. */
class ReadmeTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern EXAMPLE =
      Pattern.compile("<!-- id: example -->\\s*```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)[^)]*\\)");

  @TempDir Path directory;

  @Test
  void theExampleCompilesAndRuns() throws Exception {
    Matcher example = EXAMPLE.matcher(Files.readString(ROOT.resolve("README.md")));
    assertThat(example.find()).as("README.md has a block with id example").isTrue();
    Path source = directory.resolve("Example.java");
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
          .loadClass("Example")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {directory.resolve("data").toString()});
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("fast", "oak", "willow");
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
