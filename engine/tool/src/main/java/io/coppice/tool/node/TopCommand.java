// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.console.Top;
import io.coppice.tool.console.watch.Endpoint;
import io.coppice.tool.format.JsonLines;
import io.coppice.tool.jmx.JmxLogin;
import io.coppice.tool.jmx.JmxOption;
import io.coppice.tool.jmx.NodeEndpoint;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code top}, which shows tables and compactions once per second in the terminal. Used
 * by one thread.
 */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "coppice-tool top --jmx HOST[:PORT],... [OPTIONS]",
    header = "Shows tables and compactions every second.",
    description = {
      "",
      "Press q to quit. Without a terminal it prints one line per second; with --json, each line is",
      "one document.",
      ""
    },
    footer = {"", "Exit codes: 0 ended, 1 a process did not answer the last poll, 2 wrong usage."})
public final class TopCommand implements Callable<Integer> {

  private static final Path TERMINAL = Path.of("/dev/tty");
  private static final String TO_TOP = "\u001b[H";
  private static final String CLEAR_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";
  private static final String OTHER_SCREEN = "\u001b[?1049h\u001b[?25l";
  private static final String OWN_SCREEN = "\u001b[?1049l\u001b[?25h";
  private static final int WIDTH = 132;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long KEY_MILLIS = 50;

  private static final List<CommandOptions.Help> HELP = new ArrayList<>();

  static {
    HELP.add(JmxOption.LIST);
    HELP.addAll(JmxLogin.HELP);
    HELP.add(CommandOptions.JSON);
    HELP.add(new CommandOptions.Help("--times", "N", "Number of polls. Default: no limit."));
  }

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private TopCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    TopCommand command = new TopCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), HELP);
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    CommandOptions options = CommandOptions.of(commandLine);
    List<Endpoint> endpoints = NodeEndpoint.read(options);
    long times = options.integer("--times", 1, Integer.MAX_VALUE, Long.MAX_VALUE);
    boolean json = options.flag(CommandOptions.JSON.name());
    options.complain();
    boolean terminal = !json && System.console() != null && Files.isReadable(TERMINAL);
    try (Top top = new Top(endpoints)) {
      if (terminal) {
        inTerminal(top, times);
      } else {
        for (long i = 0; i < times; i++) {
          long start = System.nanoTime();
          top.sample();
          if (json) {
            JsonLines.print(top.document(), streams.out());
          } else {
            streams.out().println(top.line());
          }
          streams.out().flush();
          if (i + 1 < times) {
            TimeUnit.NANOSECONDS.sleep(SECOND_NANOS - (System.nanoTime() - start));
          }
        }
      }
      return top.allAnswered() ? ExitCode.DONE : ExitCode.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCode.DONE;
    }
  }

  private void inTerminal(Top top, long times) throws IOException, InterruptedException {
    Thread back = new Thread(this::giveBack);
    Runtime.getRuntime().addShutdownHook(back);
    try {
      stty("-icanon", "-echo");
      streams.out().print(OTHER_SCREEN);
      boolean goOn = true;
      for (long i = 0; i < times && goOn; i++) {
        long end = System.nanoTime() + SECOND_NANOS;
        top.sample();
        StringBuilder screen = new StringBuilder(TO_TOP);
        top.lines(WIDTH).forEach(line -> screen.append(line).append(CLEAR_LINE).append('\n'));
        streams.out().print(screen.append("q quits").append(CLEAR_BELOW));
        streams.out().flush();
        while (goOn && System.nanoTime() < end) {
          goOn = System.in.available() == 0 || System.in.read() != 'q';
          TimeUnit.MILLISECONDS.sleep(KEY_MILLIS);
        }
      }
    } finally {
      try {
        giveBack();
      } finally {
        Runtime.getRuntime().removeShutdownHook(back);
      }
    }
  }

  private void giveBack() {
    try {
      stty("icanon", "echo");
    } catch (IOException e) {
      // The shell restores the terminal by itself.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      // Printed last, because it throws if standard output cannot be written.
      streams.out().print(OWN_SCREEN);
      streams.out().flush();
    }
  }

  private static void stty(String... modes) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(modes));
    new ProcessBuilder(command)
        .redirectInput(new File(TERMINAL.toString()))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
