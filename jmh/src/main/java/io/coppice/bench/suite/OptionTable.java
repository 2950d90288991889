// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options of the commands, as {@code options.txt} lists them. */
public final class OptionTable {

  private static final Map<String, String> TABLES = tables();

  private OptionTable() {}

  private static Map<String, String> tables() {
    Map<String, String> tables = new HashMap<>();
    for (String table : DataTable.text(OptionTable.class, "options.txt").split("\n\\[")) {
      int end = table.indexOf("]\n");
      tables.put(table.substring(0, Math.max(0, end)), table.substring(end + 2).strip());
    }
    return tables;
  }

  /** Returns the options of a command, without dashes. */
  public static List<String> names(String command) {
    return TABLES
        .get(command)
        .lines()
        .filter(line -> line.startsWith("--"))
        .map(line -> line.replaceFirst("--([a-z-]+).*", "$1"))
        .toList();
  }

  /** Adds the options of the table to a command. */
  static void add(CommandSpec command) {
    String table = TABLES.get(command.name());
    int order = Integer.MIN_VALUE;
    for (String block : table.split("\n(?=-)")) {
      String[] lines = block.split("\n");
      String[] words = lines[0].split(" ");
      OptionSpec.Builder option =
          OptionSpec.builder(words[0].replace("?", "").split(","))
              .description(
                  Arrays.stream(lines)
                      .skip(1)
                      .map(line -> line.strip().replaceAll(" +", " "))
                      .toArray(String[]::new))
              .order(order++);
      if (words.length == 1) {
        option.type(boolean.class).arity("0");
      } else {
        option.type(String.class).arity("1").paramLabel(words[1]);
      }
      if (words[0].endsWith("?")) {
        option.arity("0..1").fallbackValue("true");
      }
      if (words.length > 2) {
        option.defaultValue(words[3]);
      }
      command.addOption(option.build());
    }
  }

  /**
   * Returns the typed or default value of each option, keyed by its first name without dashes.
   * Flags that are off and options without a value are missing.
   */
  static Map<String, String> given(CommandSpec command) {
    Map<String, String> given = new TreeMap<>();
    for (OptionSpec option : command.options()) {
      Object value = option.getValue();
      if (value != null && !Boolean.FALSE.equals(value)) {
        given.put(option.names()[0].substring(2), value.toString());
      }
    }
    return given;
  }
}
