// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.console.Console;
import io.coppice.tool.console.watch.Endpoint;
import io.coppice.tool.jmx.JmxLogin;
import io.coppice.tool.jmx.JmxOption;
import io.coppice.tool.jmx.NodeEndpoint;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code console}, which runs the tuning console until the process ends. Used by one
 * thread.
 */
@Command(
    name = "console",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "coppice-tool console --jmx HOST[:PORT],... [OPTIONS]",
    header =
        "Shows tables, merges and policies of nodes and stores in a browser, and changes policies.",
    description = {
      "",
      "It prints an address for a browser on this machine. From another machine, forward the port:",
      "ssh -L 8080:127.0.0.1:PORT. The address contains a secret; do not share it. The console changes",
      "policies only with --allow-changes. A change lasts until the node or store restarts.",
      ""
    },
    footer = {
      "",
      "Example: console --jmx 10.0.0.1 --allow-changes",
      "Exit codes: 0 ended, 1 failed, 2 wrong usage."
    })
public final class ConsoleCommand implements Callable<Integer> {

  /** Logger of changes, at level INFO. The field keeps it from being collected. */
  private static final Logger CHANGES = Logger.getLogger("io.coppice.Console");

  private static final int MAX_PORT = 0xFFFF;
  private static final List<CommandOptions.Help> HELP = new ArrayList<>();

  static {
    HELP.add(JmxOption.LIST);
    HELP.addAll(JmxLogin.HELP);
    HELP.add(new CommandOptions.Help("--port", "N", "Port of the page. Default: any free port."));
    HELP.add(
        new CommandOptions.Help(
            "--allow-changes", "", "Allow changes, stops and undo from the page."));
  }

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private ConsoleCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    ConsoleCommand command = new ConsoleCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), HELP);
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    CommandOptions options = CommandOptions.of(commandLine);
    List<Endpoint> endpoints = NodeEndpoint.read(options);
    int port = (int) options.integer("--port", 0, MAX_PORT, 0);
    boolean allowChanges = options.flag("--allow-changes");
    options.complain();
    CHANGES.setLevel(Level.INFO);
    ChangeFile changes = ChangeFile.ofUser();
    try (Console console =
        Console.start(new Console.Options(endpoints, port, allowChanges), changes)) {
      streams.out().println(console.address());
      streams.out().flush();
      streams
          .err()
          .println(
              allowChanges
                  ? "Changes are logged in " + changes + "."
                  : "Read-only; --allow-changes allows changes from the page.");
      streams.err().println("Ctrl-C ends the console.");
      new CountDownLatch(1).await();
    } catch (BindException e) {
      streams.err().println(Demo.portRefused(port, e));
      return ExitCode.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.DONE;
  }
}
