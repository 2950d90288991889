// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The manual page of a command line with its commands, in the macros of {@code man(7)}. */
final class ManPage {

  private final List<String> lines = new ArrayList<>();

  private ManPage() {}

  /** Returns the lines of the page. */
  static List<String> lines(CommandLine tool) {
    ManPage page = new ManPage();
    CommandSpec spec = tool.getCommandSpec();
    String name = spec.name();
    UsageMessageSpec usage = spec.usageMessage();
    page.lines.add(".TH " + name.toUpperCase(Locale.ROOT) + " 1");
    page.lines.add(".SH NAME");
    page.text(name + " - " + String.join(" ", usage.description()));
    page.lines.add(".SH SYNOPSIS");
    page.text(name + " COMMAND [OPTIONS]");
    page.lines.add(".SH COMMANDS");
    tool.getSubcommands().values().forEach(command -> page.command(name, command));
    page.lines.add(".SH EXIT STATUS");
    page.paragraph(usage.footer());
    page.lines.add(".SH ENVIRONMENT");
    page.lines.add(".TP");
    page.text("NO_COLOR");
    page.text("If set, help texts have no colors. Without a terminal they never have any.");
    return page.lines;
  }

  private void command(String above, CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    UsageMessageSpec usage = spec.usageMessage();
    String name = above + " " + spec.name();
    lines.add(".SS " + escaped(name));
    paragraph(usage.header());
    String[] synopsis = usage.customSynopsis();
    lines.add(".PP");
    for (String line : synopsis.length == 0 ? new String[] {name + " COMMAND"} : synopsis) {
      text(line);
      lines.add(".br");
    }
    paragraph(usage.description());
    for (OptionSpec option : spec.options()) {
      if (option.hidden() || option.usageHelp() || option.versionHelp()) {
        continue;
      }
      boolean value = option.arity().max() > 0;
      lines.add(".TP");
      text(option.longestName() + (value ? "=" + option.paramLabel() : ""));
      text(String.join(" ", option.description()));
    }
    paragraph(usage.footer());
    command.getSubcommands().values().forEach(verb -> command(name, verb));
  }

  /**
   * Adds lines as one paragraph. A line that begins with a word and a colon, or is indented, stays
   * on a line of its own.
   */
  private void paragraph(String... text) {
    if (Stream.of(text).allMatch(String::isBlank)) {
      return;
    }
    lines.add(".PP");
    Arrays.stream(text)
        .filter(line -> !line.isBlank())
        .forEach(
            line -> {
              if (line.matches("[A-Z][a-z ]+: .*| {2,}.*")) {
                lines.add(".br");
              }
              text(line);
            });
  }

  private void text(String line) {
    lines.add(escaped(line));
  }

  /** Returns a line with escapes for the characters that {@code man(7)} would read as commands. */
  private static String escaped(String line) {
    String plain = line.replace("\\", "\\e").replace("-", "\\-");
    return plain.matches("[.'].*") ? "\\&" + plain : plain;
  }
}
