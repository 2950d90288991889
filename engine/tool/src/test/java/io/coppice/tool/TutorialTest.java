// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Program;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Types the commands that pages show in blocks of {@code console}, in one directory for a page, and
 * compares what is answered. {@code -Drewrite=1} writes it anew. Building is passed over.
 */
class TutorialTest {

  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final Pattern BLOCK = Pattern.compile("(?s)```console\\n(.*?)```");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");
  private static final String PROMPT = "$ ";
  private static final List<String> TOOL =
      List.of("java", "-jar", "engine/tool/target/coppice-tool.jar");
  private static final List<String> PROGRAM =
      List.of("java", "-cp", "engine/tool/target/coppice-tool.jar");

  /** Arguments that are places in the directory in which all of it happens. */
  private static final Set<String> PLACES = Set.of("data", "backup", "broken", "forest");

  @TempDir Path home;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tutorials/back-up-and-restore.md",
        "tutorials/first-store.md",
        "tutorials/watch-a-forest-grow.md",
        "how-to/backup-and-restore.md",
        "how-to/repair.md"
      })
  void thePageShowsWhatIsAnswered(String name) throws Exception {
    Path page = DOCS.resolve(name);
    String text = Files.readString(page);
    Matcher block = BLOCK.matcher(text);
    StringBuilder answered = new StringBuilder();
    while (block.find()) {
      List<String> said = new ArrayList<>();
      for (String line : block.group(1).lines().toList()) {
        if (line.startsWith(PROMPT)) {
          said.add(line);
          said.addAll(answer(text, words(line.substring(PROMPT.length()))));
        }
      }
      String lines = "```console\n" + String.join("\n", said) + "\n```";
      block.appendReplacement(answered, Matcher.quoteReplacement(lines));
    }
    block.appendTail(answered);
    if (System.getProperty("rewrite") != null) {
      Files.writeString(page, answered);
    } else {
      assertThat(masked(answered.toString())).isEqualTo(masked(text));
    }
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(line);
    while (word.find()) {
      words.add(word.group(1) == null ? word.group(2) : word.group(1));
    }
    return words;
  }

  /** What is printed, and the exit code where it is not 0. */
  private List<String> answer(String page, List<String> words) throws Exception {
    String[] args =
        words.stream()
            .skip(TOOL.size())
            .map(word -> PLACES.contains(word) ? home.resolve(word).toString() : word)
            .toArray(String[]::new);
    if (words.subList(0, Math.min(3, words.size())).equals(TOOL)) {
      ToolRun run = ToolRun.of(args);
      List<String> lines = new ArrayList<>();
      (run.out() + run.err())
          .lines()
          .map(line -> line.replace(home + "/", "").stripTrailing())
          .forEach(lines::add);
      if (run.code() != ExitCode.DONE) {
        lines.add("[exit " + run.code() + "]");
      }
      return lines;
    }
    if (words.subList(0, Math.min(3, words.size())).equals(PROGRAM)) {
      String name = args[0].replace(".java", "");
      return Program.run(
          home, name, Program.source(page, name), Arrays.copyOfRange(args, 1, args.length));
    }
    switch (words.get(0)) {
      case "mvn" -> assertThat(words).contains("verify");
      case "mv" -> Files.move(home.resolve(words.get(1)), home.resolve(words.get(2)));
      case "rm" -> Files.delete(home.resolve(words.get(1)));
      case "cp" -> copy(home.resolve(words.get(2)), home.resolve(words.get(3)));
      default -> throw new AssertionError("this test cannot type " + words);
    }
    return List.of();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  /** Owners are drawn, and no two measurements are equal. */
  private static String masked(String text) {
    return text.replaceAll("owner [0-9a-f]+", "owner N")
        .replaceAll("\\d+([.:]\\d+)? ?(ms|s|MB/s|µs)\\b", "N $2");
  }

  @Test
  void theCommandOfTheReadmeSimulates() throws IOException {
    simulates(Path.of("..", "..", "README.md"), "<!-- id: simulate -->");
  }

  @Test
  void theCommandForOnesOwnLoadSimulates() throws IOException {
    simulates(DOCS.resolve("how-to/benchmark-your-workload.md"), "<!-- id: simulate-own -->");
  }

  /** Pages simulate a terabyte; here it is of less. */
  private static void simulates(Path page, String id) throws IOException {
    Matcher command =
        Pattern.compile("(?s)" + id + "\\s*```\\n(.*?)\\n```").matcher(Files.readString(page));
    assertThat(command.find()).isTrue();
    List<String> words = words(command.group(1));
    assertThat(words.subList(0, 3)).isEqualTo(TOOL);
    String[] smaller =
        words.stream()
            .skip(TOOL.size())
            .map(word -> word.matches("[0-9]+[GT]B") ? "100MB" : word)
            .toArray(String[]::new);
    assertThat(smaller).contains("100MB").doesNotContain("1TB", "200GB", "400GB");
    ToolRun run = ToolRun.of(smaller);
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("split-forest", "leveled", "WA");
  }
}
