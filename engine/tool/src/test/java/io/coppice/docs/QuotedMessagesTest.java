// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the messages that the page of the console quotes with the texts in the code. */
class QuotedMessagesTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Path PAGE = ROOT.resolve(Path.of("docs", "how-to", "console.md"));
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  // Parts of a message that differ from run to run: an amount, an ellipsis, a placeholder.
  private static final Pattern VARIABLE =
      Pattern.compile("\\b[\\d.]+ [kMG]i?B\\b|[…#]\\S*|http:\\S*|/tmp\\S*|(?<=[(])N(?=[)])");

  @Test
  void eachQuotedMessageIsInTheCode() throws IOException {
    String texts = texts(ROOT.resolve(Path.of("engine", "tool", "src", "main", "java")));
    List<String> messages = messages(Files.readString(PAGE));
    assertThat(messages).hasSizeGreaterThan(8);
    TreeSet<String> missing = new TreeSet<>();
    for (String message : messages) {
      for (String part : VARIABLE.split(message)) {
        if (!part.isBlank() && !texts.contains(part)) {
          missing.add(part);
        }
      }
    }
    assertThat(missing).as("quoted by " + PAGE + ", but in no text of the code").isEmpty();
  }

  /** Returns the first cells of tables headed "If it prints", and the output of shown commands. */
  private static List<String> messages(String page) {
    List<String> messages = new ArrayList<>();
    boolean table = false;
    for (String line : page.lines().collect(Collectors.toList())) {
      table = line.startsWith("| If it prints") || table && line.startsWith("|");
      if (table && line.contains("`")) {
        CODE.matcher(line.split("[|]")[1]).results().forEach(code -> messages.add(code.group(1)));
      }
    }
    for (Blocks.Block block : Blocks.of(page)) {
      if (block.firstLine().matches("(?:[$] )?java -jar .* (?:demo|console --jmx .*)")) {
        messages.addAll(outputs(page, block.firstLine()));
      }
    }
    return messages;
  }

  private static List<String> outputs(String page, String command) {
    String after = page.substring(page.indexOf(command) + command.length());
    String block = after.substring(0, after.indexOf("```"));
    return block.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  /** Returns all string literals below a directory, joined where the code joins them. */
  private static String texts(Path directory) throws IOException {
    StringBuilder texts = new StringBuilder();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String source = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
        Matcher literal = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(source);
        while (literal.find()) {
          texts.append(literal.group(1)).append('\n');
        }
      }
    }
    return texts.toString();
  }
}
