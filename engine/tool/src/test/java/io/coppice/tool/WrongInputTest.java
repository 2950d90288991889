// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Types the wrong inputs of {@code wrong-inputs.txt} and compares exit codes and answers. {@code
 * -Drewrite=1} writes the answers again.
 */
class WrongInputTest {

  private static final Path TABLE =
      Path.of("src", "test", "resources", "io", "coppice", "tool", "wrong-inputs.txt");
  private static final String PROMPT = "$ ";
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

  /** Words without meaning for a user: classes, Java methods, and unset values. */
  private static final Pattern FOREIGN =
      Pattern.compile("java\\.|Exception|createFamily|Store\\.open|\\bnull\\b|Unmatched|\tat ");

  @TempDir Path home;

  @BeforeEach
  void makePlaces() throws IOException {
    Path store = home.resolve("data");
    try (Store made = Store.open(store)) {
      made.put("key".getBytes(StandardCharsets.UTF_8), "value".getBytes(StandardCharsets.UTF_8));
    }
    Files.createDirectory(home.resolve("empty"));
    Files.writeString(Files.createDirectory(home.resolve("foreign")).resolve("letter"), "text");
    Files.writeString(home.resolve("file"), "text\n");
    Files.writeString(home.resolve("blank"), "\n\n");
    Files.write(home.resolve("binary"), new byte[] {(byte) 0xFF, 0});
    Files.writeString(home.resolve("open-password"), "secret\n");
    Files.setPosixFilePermissions(
        home.resolve("open-password"), PosixFilePermissions.fromString("rw-r--r--"));
    Files.writeString(home.resolve("two-passwords"), "ada one\nbob two\n");
    Files.setPosixFilePermissions(
        home.resolve("two-passwords"), PosixFilePermissions.fromString("rw-------"));
    Path damaged = Files.createDirectory(home.resolve("damaged"));
    try (Stream<Path> files = Files.list(store)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, damaged.resolve(file.getFileName()));
      }
    }
    byte[] current = Files.readAllBytes(damaged.resolve("CURRENT"));
    current[0] ^= 1;
    Files.write(damaged.resolve("CURRENT"), current);
  }

  /** An input and what the tool answers. */
  private record Answer(String input, int code, List<String> out, List<String> err) {

    List<String> lines() {
      List<String> lines = new ArrayList<>(List.of(PROMPT + input, "exit " + code));
      out.forEach(line -> lines.add("out " + line));
      err.forEach(line -> lines.add("err " + line));
      lines.add("");
      return lines;
    }
  }

  private Answer answer(String input) {
    List<String> args = new ArrayList<>();
    Matcher words = WORD.matcher(input);
    while (words.find()) {
      String word = words.group(1) != null ? words.group(1) : words.group(2);
      args.add(word.replace("~/", home + "/"));
    }
    assertThat(args.remove(0)).isEqualTo("coppice-tool");
    ToolRun run = ToolRun.of(args.toArray(String[]::new));
    return new Answer(input, run.code(), lines(run.out()), lines(run.err()));
  }

  private List<String> lines(String text) {
    return text.lines().map(line -> line.replace(home + "/", "~/").stripTrailing()).toList();
  }

  private List<Answer> answers() throws IOException {
    return Files.readAllLines(TABLE).stream()
        .filter(line -> line.startsWith(PROMPT))
        .map(line -> answer(line.substring(PROMPT.length())))
        .toList();
  }

  @Test
  void theTableHasTheAnswerToEachInput() throws IOException {
    List<String> committed = Files.readAllLines(TABLE);
    List<String> head = committed.stream().takeWhile(line -> line.startsWith("#")).toList();
    List<String> lines = new ArrayList<>(head);
    lines.add("");
    List<Answer> answers = answers();
    answers.forEach(answer -> lines.addAll(answer.lines()));
    if (System.getProperty("rewrite") != null) {
      Files.write(TABLE, lines);
    } else {
      assertThat(lines).isEqualTo(committed);
    }
    assertThat(answers).hasSizeGreaterThanOrEqualTo(60);
    assertThat(answers.stream().map(Answer::input)).doesNotHaveDuplicates();
    answers.forEach(WrongInputTest::checkForm);
  }

  /** Nothing on standard output of wrong usage, no word of Java, and a last line with the help. */
  private static void checkForm(Answer answer) {
    String what = String.join("\n", answer.lines());
    assertThat(answer.code()).as(what).isIn(ExitCode.FAILED, ExitCode.USAGE);
    // JSON names unknown figures by null.
    assertThat(what.replace(":null", "")).doesNotContainPattern(FOREIGN);
    Set<String> said = new HashSet<>();
    assertThat(answer.err()).as(what).allMatch(said::add);
    if (answer.code() == ExitCode.USAGE) {
      assertThat(answer.out()).as(what).isEmpty();
      assertThat(answer.err().get(answer.err().size() - 1))
          .as(what)
          .matches("Nothing was started; see coppice-tool[a-z -]* --help\\.");
    }
  }
}
