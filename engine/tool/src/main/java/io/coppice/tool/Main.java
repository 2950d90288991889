// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.policy.spec.NameSuggestion;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.jmx.JmxFilter;
import io.coppice.tool.node.CanaryCommand;
import io.coppice.tool.node.ConsoleCommand;
import io.coppice.tool.node.DemoCommand;
import io.coppice.tool.node.PreflightCommand;
import io.coppice.tool.node.TopCommand;
import io.coppice.tool.papers.PapersCommand;
import io.coppice.tool.readbench.ReadBenchCommand;
import io.coppice.tool.simulate.ReplayCommand;
import io.coppice.tool.simulate.SimulateCommand;
import io.coppice.tool.store.StoreCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/**
 * The entry point of the tool: {@code java -jar coppice-tool.jar COMMAND [options]}. Used by one
 * thread.
 */
@Command(
    name = "coppice-tool",
    description = {
      "Simulates compaction policies, explains their decisions, and maintains stores and Cassandra",
      "nodes."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    footer = {
      "",
      "Each command has its own --help.",
      "Exit codes: 0 done, 1 failed or the answer is no, 2 wrong usage."
    })
public final class Main implements Runnable {

  /**
   * Logger of all stores. The field keeps the logger, and thereby its level, from being collected.
   */
  private static final Logger STORES = Logger.getLogger("io.coppice");

  @Spec private CommandSpec spec;

  /** Runs a command and ends the process with its exit code, see {@link ExitCode}. */
  public static void main(String[] args) {
    // Seconds that a request to the console may take to arrive. Slower ones would hold its threads.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    // Milliseconds that a call to a node, and connecting to it, may take unless the command line of
    // the JVM sets them. A suspended node keeps its connections open without answering.
    System.getProperties().putIfAbsent("sun.rmi.transport.tcp.responseTimeout", "10000");
    System.getProperties().putIfAbsent("sun.rmi.transport.tcp.handshakeTimeout", "10000");
    JmxFilter.install();
    PrintStream out = utf8(FileDescriptor.out);
    PrintStream err = utf8(FileDescriptor.err);
    System.setOut(out);
    System.setErr(err);
    // Users of a command need no message about each opened store.
    STORES.setLevel(Level.WARNING);
    STORES.setUseParentHandlers(false);
    STORES.addHandler(new Notes(err));
    System.exit(
        run(
            args,
            new CommandOutput(
                CommandOutput.results(new FileOutputStream(FileDescriptor.out)),
                new PrintWriter(err, true, StandardCharsets.UTF_8))));
  }

  /**
   * Runs a command to its end and returns its exit code, see {@link ExitCode}. An exception is
   * reported on the error stream.
   */
  public static int run(String[] args, CommandOutput streams) {
    return commandLine(streams).execute(args);
  }

  /** Returns the command line with all commands. */
  static CommandLine commandLine(CommandOutput streams) {
    return new CommandLine(new Main())
        .addSubcommand(DemoCommand.commandLine(streams))
        .addSubcommand(SimulateCommand.commandLine(streams))
        .addSubcommand(PapersCommand.commandLine(streams))
        .addSubcommand(ReplayCommand.commandLine(streams))
        .addSubcommand(ReadBenchCommand.commandLine(streams))
        .addSubcommand(StoreCommand.commandLine(streams))
        .addSubcommand(PreflightCommand.commandLine(streams))
        .addSubcommand(CanaryCommand.commandLine(streams))
        .addSubcommand(ConsoleCommand.commandLine(streams))
        .addSubcommand(TopCommand.commandLine(streams))
        .addSubcommand(CompletionCommand.commandLine(streams))
        .addSubcommand(ManCommand.commandLine(streams))
        .setOut(streams.out())
        .setErr(streams.err())
        .setUsageHelpWidth(100)
        .setExpandAtFiles(false)
        .setExecutionStrategy(parsed -> carryOut(parsed, streams))
        .setParameterExceptionHandler((misuse, args) -> refuse(misuse, args, streams))
        .setExecutionExceptionHandler(
            (failure, command, parsed) ->
                streams.explain(failure, command.getCommandSpec().qualifiedName()));
  }

  /**
   * Runs the parsed command and returns its exit code. Help texts are printed outside of any
   * command, so their failures are handled here.
   */
  private static int carryOut(CommandLine.ParseResult parsed, CommandOutput streams) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (UncheckedIOException e) {
      return streams.explain(e, "coppice-tool");
    }
  }

  /**
   * Reports the argument that is not understood and the expected ones, and returns the exit code.
   */
  private static int refuse(
      CommandLine.ParameterException misuse, String[] args, CommandOutput streams)
      throws Exception {
    CommandLine command = misuse.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    if (!(misuse instanceof CommandLine.UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()) {
      streams.err().println(misuse.getMessage());
      streams.err().println("Nothing was started; see " + name + " --help.");
      return ExitCode.USAGE;
    }
    String word = unmatched.getUnmatched().get(0);
    CommandSpec known = command.getCommandSpec();
    String what =
        word.startsWith("-")
            ? "option "
                + NameSuggestion.notUnderstood(
                    word.replaceFirst("=.*", ""),
                    known.options().stream().map(OptionSpec::longestName).toList(),
                    "options")
            : "command "
                + NameSuggestion.notUnderstood(word, known.subcommands().keySet(), "commands");
    streams.err().println(name + ": " + what);
    streams.err().println("Nothing was started; see " + name + " --help.");
    return ExitCode.USAGE;
  }

  /** Prints the help, because no subcommand was given. */
  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** Returns a UTF-8 stream, because bars and dots are outside ASCII on every platform. */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  /**
   * A log handler that prints each message of a store once, on one line, without time and class.
   */
  private static final class Notes extends Handler {
    private final PrintStream err;
    private final Set<String> printed = ConcurrentHashMap.newKeySet();
    private final SimpleFormatter formatter = new SimpleFormatter();

    Notes(PrintStream err) {
      this.err = err;
    }

    @Override
    public void publish(LogRecord entry) {
      String text = formatter.formatMessage(entry);
      if (isLoggable(entry) && printed.add(text)) {
        boolean error = entry.getLevel().intValue() >= Level.SEVERE.intValue();
        err.println((error ? "error: " : "warning: ") + text);
      }
    }

    @Override
    public void flush() {
      err.flush();
    }

    @Override
    public void close() {
      flush();
    }
  }

  /** Version for {@code --version}: that in the jar's manifest. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"coppice-tool " + (version == null ? "unpackaged" : version)};
    }
  }
}
