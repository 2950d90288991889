// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code demo}, which shows a store under load until the process ends. Used by one
 * thread.
 */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "coppice-tool demo [OPTIONS]",
    header = "Creates a temporary store, writes to it, and shows it in a browser.",
    description = {
      "",
      "It prints an address for a browser on this machine. The page shows the store in the console.",
      "The store uses at most 200 MB of disk; it overwrites its keys again and again. Ctrl-C ends the",
      "demo and removes the store. For another directory, run",
      "java -Djava.io.tmpdir=DIRECTORY -jar coppice-tool.jar demo.",
      ""
    },
    footer = {
      "",
      "Example: demo --port 8080",
      "Exit codes: 0 ended, 1 failed, 2 wrong usage, 130 after Ctrl-C."
    })
public final class DemoCommand implements Callable<Integer> {

  private static final int MAX_PORT = 0xFFFF;
  private static final List<CommandOptions.Help> HELP =
      List.of(
          new CommandOptions.Help("--port", "N", "Port of the page. Default: any free port."),
          new CommandOptions.Help(
              "--allow-changes", "", "Allow changes of the store from the page."));

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private DemoCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    DemoCommand command = new DemoCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), HELP);
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    CommandOptions options = CommandOptions.of(commandLine);
    int port = (int) options.integer("--port", 0, MAX_PORT, 0);
    boolean allowChanges = options.flag("--allow-changes");
    options.complain();
    Demo demo =
        new Demo(
            new Demo.Settings(
                Path.of(System.getProperty("java.io.tmpdir")),
                port,
                allowChanges,
                Demo.DISK_BYTES,
                Demo.HEAP_BYTES));
    Thread hook = new Thread(() -> end(demo), "coppice-demo-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try (demo) {
      demo.start();
      print(demo, allowChanges);
      demo.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      forget(hook);
    }
    return ExitCode.DONE;
  }

  private void print(Demo demo, boolean allowChanges) {
    streams.out().println(demo.address());
    streams.out().flush();
    streams.err().println("Open this address in a browser on this machine.");
    streams
        .err()
        .println(
            "The store is in "
                + demo.directory()
                + " and uses at most "
                + ByteText.format(Demo.DISK_BYTES)
                + ".");
    if (!allowChanges) {
      streams.err().println("Read-only; --allow-changes allows changes from the page.");
    }
    streams.err().println("Ctrl-C ends the demo and removes the store.");
  }

  private void end(Demo demo) {
    try {
      demo.close();
    } catch (IOException | RuntimeException e) {
      streams
          .err()
          .println(
              "the demo failed to remove its files: " + e.getMessage() + "; remove them yourself");
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and its shutdown hooks run already.
      return;
    }
  }
}
