// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The help of a command line and of all commands below it, as part of a page. */
public final class CommandPage {

  private CommandPage() {}

  /** Headings, below the title of the outermost, and help texts; each command before its own. */
  public static List<String> lines(String title, CommandLine command) {
    List<String> lines = new ArrayList<>();
    add(title, command, lines);
    return lines;
  }

  private static void add(String title, CommandLine command, List<String> lines) {
    lines.addAll(List.of("", "### " + title, "", "```text"));
    command.getUsageMessage(Ansi.OFF).lines().map(String::stripTrailing).forEach(lines::add);
    lines.add("```");
    command.getSubcommands().forEach((name, below) -> add(title + " " + name, below, lines));
  }
}
