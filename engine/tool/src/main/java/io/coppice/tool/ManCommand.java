// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code man}, which prints the manual page of the tool. */
@Command(
    name = "man",
    mixinStandardHelpOptions = true,
    customSynopsis = "coppice-tool man",
    header = "Prints the manual page of all commands, in the format of man(1).",
    description = "",
    footer = {
      "",
      "Example: man > coppice-tool.1, then man ./coppice-tool.1",
      "Exit codes: 0 done, 1 failed, 2 wrong usage."
    })
final class ManCommand implements Callable<Integer> {

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private ManCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  static CommandLine commandLine(CommandOutput streams) {
    ManCommand command = new ManCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), List.of());
    CommandOptions.declarePlaces(command.commandLine.getCommandSpec());
    return command.commandLine;
  }

  @Override
  public Integer call() {
    CommandOptions options = CommandOptions.of(commandLine);
    options.places(List.of());
    options.complain();
    ManPage.lines(commandLine.getParent()).forEach(streams.out()::println);
    return ExitCode.DONE;
  }
}
