// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code completion}, which prints a completion script for bash and zsh. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    customSynopsis = "coppice-tool completion",
    header = "Prints a script that completes commands and options in bash and zsh.",
    description = {
      "",
      "The script completes the word coppice-tool. Define it as a shell function first.",
      ""
    },
    footer = {
      "",
      "Example: coppice-tool() { java -jar coppice-tool.jar \"$@\"; }",
      "         source <(coppice-tool completion)",
      "Exit codes: 0 done, 1 failed, 2 wrong usage."
    })
final class CompletionCommand implements Callable<Integer> {

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private CompletionCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  static CommandLine commandLine(CommandOutput streams) {
    CompletionCommand command = new CompletionCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), List.of());
    CommandOptions.declarePlaces(command.commandLine.getCommandSpec());
    return command.commandLine;
  }

  @Override
  public Integer call() {
    CommandOptions options = CommandOptions.of(commandLine);
    options.places(List.of());
    options.complain();
    CommandLine tool = commandLine.getParent();
    streams.out().print(AutoComplete.bash(tool.getCommandName(), tool));
    streams.out().flush();
    return ExitCode.DONE;
  }
}
