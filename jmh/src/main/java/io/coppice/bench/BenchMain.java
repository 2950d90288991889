// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import io.coppice.bench.cassandra.ClusterCommand;
import io.coppice.bench.compare.CompareCommand;
import io.coppice.bench.compare.DeletionsCommand;
import io.coppice.bench.cost.ConsoleCostCommand;
import io.coppice.bench.cost.OverheadCommand;
import io.coppice.bench.cost.PlanningCommand;
import io.coppice.bench.cost.RecoveryCommand;
import io.coppice.bench.cost.SpaceCommand;
import io.coppice.bench.micro.JmhCommand;
import io.coppice.bench.suite.BenchExitCode;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The bench jar: {@code java -jar coppice-bench.jar COMMAND [options]}. */
@Command(
    name = "coppice-bench",
    description = "Measures Coppice beside what people already trust.",
    mixinStandardHelpOptions = true,
    versionProvider = BenchMain.Version.class,
    subcommands = {
      CompareCommand.class,
      ClusterCommand.class,
      BenchCommand.class,
      SpaceCommand.class,
      RecoveryCommand.class,
      ConsoleCostCommand.class,
      PlanningCommand.class,
      DeletionsCommand.class,
      OverheadCommand.class,
      JmhCommand.class,
      PageCommand.class
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 unexpected error, 2 wrong usage, 3 a row or an answer is wrong,",
      "4 incomplete or not valid, 5 this machine lacks something, 130 interrupted."
    })
public final class BenchMain implements Runnable {

  @Spec private CommandSpec spec;

  /** Runs a command and ends the process with its exit code, one of {@link BenchExitCode}. */
  public static void main(String[] args) {
    System.setProperty("java.awt.headless", "true");
    PrintStream out = utf8(FileDescriptor.out);
    PrintStream err = utf8(FileDescriptor.err);
    System.setOut(out);
    System.setErr(err);
    System.exit(
        run(
            args,
            new PrintWriter(out, true, StandardCharsets.UTF_8),
            new PrintWriter(err, true, StandardCharsets.UTF_8)));
  }

  /**
   * Runs a command and returns its exit code, one of {@link BenchExitCode}. An unexpected exception
   * is printed to {@code err}.
   */
  static int run(String[] args, PrintWriter out, PrintWriter err) {
    return commandLine(out, err).execute(args);
  }

  static CommandLine commandLine(PrintWriter out, PrintWriter err) {
    return new CommandLine(new BenchMain())
        .setOut(out)
        .setErr(err)
        .setUsageHelpWidth(100)
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              failure.printStackTrace(err);
              err.println("unexpected error: " + failure);
              return BenchExitCode.UNEXPECTED;
            });
  }

  /** Reports wrong usage, because every run needs a subcommand. */
  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Name a command: compare, cluster, bench, space, recovery, console-cost, planning, deletions, overhead, jmh, page");
  }

  /**
   * Returns a stream that encodes text as UTF-8, since bars and dots are outside ASCII on any
   * platform.
   */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  /** Version of the jar, for {@code --version}. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = BenchMain.class.getPackage().getImplementationVersion();
      return new String[] {"coppice-bench " + (version == null ? "unpackaged" : version)};
    }
  }
}
