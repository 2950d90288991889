// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.coppice.policy.spec.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;

/**
 * Plays the scripts beside this class to a host, one test a question. Scripts and runner travel in
 * the test jar of this module, so that every host gives the same answers.
 *
 * <p>With {@code -Drewrite} {@link #rewrite} records the answers of a host in the source tree
 * instead; a person reads the difference before it is committed.
 */
public final class ScriptRunner {

  /** The scripts, without {@code .script}. */
  static final List<String> NAMES =
      List.of(
          "leveled-adjacent",
          "leveled-free",
          "delayed-adjacent",
          "delayed-free",
          "tiered-adjacent",
          "tiered-free",
          "grouped-adjacent",
          "grouped-free",
          "forest-adjacent",
          "forest-free",
          "lazy-adjacent",
          "lazy-free",
          "deletions-adjacent",
          "deletions-free",
          "shards-adjacent",
          "shards-free",
          "major");

  /** Wrong plans and the law that refuses each; every script put there is played. */
  private static final String MUTANTS = "mutants";

  private ScriptRunner() {}

  /** All scripts, without {@code .script}. */
  static List<String> names() {
    List<String> names = new ArrayList<>(NAMES);
    mutants().forEach(file -> names.add(MUTANTS + "/" + file));
    return names;
  }

  /** The folder as it stands on the class path, be that a directory or a jar. */
  private static List<String> mutants() {
    try {
      URI folder = ScriptRunner.class.getResource(MUTANTS).toURI();
      if (!folder.getScheme().equals("jar")) {
        return scripts(Path.of(folder));
      }
      try (FileSystem jar = FileSystems.newFileSystem(folder, Map.of())) {
        return scripts(jar.provider().getPath(folder));
      }
    } catch (IOException | URISyntaxException e) {
      throw new AssertionError(MUTANTS, e);
    }
  }

  private static List<String> scripts(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".script"))
          .map(file -> file.substring(0, file.length() - ".script".length()))
          .sorted()
          .toList();
    }
  }

  /** A test for each question about a tree that the host can draw. */
  public static Stream<DynamicContainer> tests(ScriptHost host) {
    return names().stream()
        .map(
            name ->
                dynamicContainer(
                    name,
                    read(name).cases().stream()
                        .filter(asked -> host.canDraw(asked.tree()))
                        .map(asked -> test(host, asked))));
  }

  /** Writes the host's answers into the script files of a source directory. */
  static void rewrite(ScriptHost host, Path directory) {
    for (String name : names()) {
      Path file = directory.resolve(name + ".script");
      try {
        Script script = Script.parse(Files.readString(file));
        List<String> answers = new ArrayList<>();
        for (Script.Case asked : script.cases()) {
          answers.add(host.answer(asked.tree(), asked.question()));
        }
        Files.writeString(file, script.with(answers));
      } catch (IOException e) {
        throw new UncheckedIOException(file.toString(), e);
      }
    }
  }

  static Script read(String name) {
    try (InputStream in = ScriptRunner.class.getResourceAsStream(name + ".script")) {
      return Script.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException | IllegalArgumentException e) {
      throw new AssertionError(name + ".script: " + e.getMessage(), e);
    }
  }

  private static DynamicTest test(ScriptHost host, Script.Case asked) {
    return dynamicTest(
        "line " + asked.line() + ": " + asked.title(),
        () -> {
          String answer = host.answer(asked.tree(), asked.question());
          String expected = String.join("\n", asked.answer());
          if (!expected.equals(answer)) {
            throw new org.opentest4j.AssertionFailedError(
                asked.title() + "\nexpected: " + expected + "\nbut was:  " + answer,
                expected,
                answer);
          }
        });
  }
}
