// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.report.DataTable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Table {@code commands.txt} with the descriptions and options of all commands. */
public final class CommandTable implements IModelTransformer {

  private record Help(String description, String options, String footer) {}

  private static final Map<String, Help> TABLES = tables();

  private static Map<String, Help> tables() {
    Map<String, Help> tables = new HashMap<>();
    for (String table : DataTable.text(CommandTable.class, "commands.txt").split("\n\\[")) {
      String[] parts = table.split("]\n|\nOptions:|\nFooter:\n");
      if (parts.length == 4) {
        tables.put(parts[0], new Help(parts[1], parts[2].strip(), parts[3].stripTrailing()));
      }
    }
    return tables;
  }

  /** Returns the options of a command, without dashes. */
  public static List<String> names(String command) {
    return TABLES
        .get(command)
        .options
        .lines()
        .filter(line -> line.startsWith("--"))
        .map(line -> line.replaceFirst("--([a-z-]+).*", "$1"))
        .toList();
  }

  /** Adds description, options and footer of the table to a command. */
  @Override
  public CommandSpec transform(CommandSpec command) {
    Help help = TABLES.get(command.name());
    command
        .usageMessage()
        .description(help.description.split("\n"))
        .footer(("\n" + help.footer).split("\n"));
    int order = Integer.MIN_VALUE;
    for (String block : help.options.split("\n(?=-)")) {
      if (!block.isEmpty()) {
        command.addOption(option(block).order(order++).build());
      }
    }
    return command;
  }

  private static OptionSpec.Builder option(String block) {
    String[] lines = block.split("\n");
    String[] words = lines[0].split(" ");
    OptionSpec.Builder option =
        OptionSpec.builder(words[0].replace("?", "").split(","))
            .description(
                Arrays.stream(lines)
                    .skip(1)
                    .map(line -> line.strip().replaceAll(" +", " "))
                    .toArray(String[]::new));
    if (words.length == 1) {
      option.type(boolean.class).arity("0");
    } else {
      option.type(String.class).arity("1").paramLabel(words[1]);
    }
    if (words[0].endsWith("?")) {
      option.arity("0..1").fallbackValue("true");
    }
    return words.length > 2 ? option.defaultValue(words[3]) : option;
  }

  /**
   * Returns the typed or default value of each option, by its first name without dashes. Flags that
   * are off and options without a value are absent.
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
