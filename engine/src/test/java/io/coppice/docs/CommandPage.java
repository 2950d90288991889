// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The help of a command line and of all commands below it, as part of a page. */
public final class CommandPage {

  private CommandPage() {}

  /**
   * Headings and help texts, each command before those below it.
   *
   * @param root the name of the jar's command
   * @param help what {@code --help} prints behind these words
   * @param below the names of the commands below these words
   */
  public static List<String> lines(
      String root,
      Function<List<String>, String> help,
      Function<List<String>, List<String>> below) {
    Map<List<String>, String> texts = new LinkedHashMap<>();
    add(List.of(), texts, help, below);
    List<String> lines = new ArrayList<>();
    BiFunction<String, List<String>, String> title =
        (name, words) -> words.isEmpty() ? name : name + " " + String.join(" ", words);
    texts.forEach(
        (words, text) -> {
          lines.add("");
          lines.add("### " + title.apply(root, words));
          lines.add("");
          lines.add("```text");
          text.lines().map(String::stripTrailing).forEach(lines::add);
          lines.add("```");
        });
    return lines;
  }

  private static void add(
      List<String> words,
      Map<List<String>, String> texts,
      Function<List<String>, String> help,
      Function<List<String>, List<String>> below) {
    texts.put(words, help.apply(words));
    for (String name : below.apply(words)) {
      List<String> longer = new ArrayList<>(words);
      longer.add(name);
      add(List.copyOf(longer), texts, help, below);
    }
  }
}
