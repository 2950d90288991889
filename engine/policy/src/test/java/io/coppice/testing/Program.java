// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

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

/** A program that a page shows: the block of Java that declares its class. */
public final class Program {

  private static final Pattern BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");

  private Program() {}

  /** The source. */
  public static String source(String page, String name) {
    Matcher block = BLOCK.matcher(page);
    while (block.find()) {
      if (block.group(1).contains("public class " + name + " ")) {
        return block.group(1);
      }
    }
    throw new AssertionError("no block declares " + name);
  }

  /** Runs it, compiled in a directory by the first call; returns what it printed. */
  public static List<String> run(Path directory, String name, String source, String... args)
      throws Exception {
    if (!Files.exists(directory.resolve(name + ".class"))) {
      compile(directory, name, source);
    }
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {directory.toUri().toURL()}, Program.class.getClassLoader())) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) args);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static void compile(Path directory, String name, String source) throws IOException {
    Path file = directory.resolve(name + ".java");
    Files.writeString(file, source);
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                file.toString());
    assertThat(result).as("javac's exit code").isZero();
  }
}
