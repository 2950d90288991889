// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options of a command as a text: a line of names, label and default, then the lines of the
 * description.
 *
 * <pre>
 * --rounds N = 2
 *   How often; default ${DEFAULT-VALUE}.
 * --keep
 *   Leave the files.
 * </pre>
 *
 * <p>An option without label is a flag; after a question mark its value may be left out.
 */
final class OptionTable {

  private OptionTable() {}

  static void add(CommandSpec command, String table) {
    int order = Integer.MIN_VALUE;
    for (String block : table.isEmpty() ? new String[0] : table.split("\n(?=-)")) {
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

  /** Returns what was typed, and defaults, by the first name of each option without dashes. */
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
