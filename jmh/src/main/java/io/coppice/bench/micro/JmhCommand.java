// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.CommandTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** The command {@code jmh}: passes its arguments to JMH, which runs the microbenchmarks. */
@Command(name = "jmh", modelTransformer = CommandTable.class)
public final class JmhCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PATTERN",
      arity = "0..*",
      description = "Of benchmark names; all if none.")
  private List<String> patterns = new ArrayList<>();

  @Unmatched private List<String> options = new ArrayList<>();

  @Override
  public Integer call() throws RunnerException, IOException {
    PrintWriter err = spec.commandLine().getErr();
    // As typed, after the command's own name: what an option means is for JMH to say.
    List<String> typed = spec.commandLine().getParseResult().originalArgs();
    List<String> given = typed.subList(typed.indexOf(spec.name()) + 1, typed.size());
    try {
      run(new CommandLineOptions(given.toArray(new String[0])));
      return BenchExitCode.DONE;
    } catch (CommandLineOptionException e) {
      err.println(e.getMessage());
      return BenchExitCode.USAGE;
    } catch (NoBenchmarksException e) {
      err.println("No benchmark has a name like " + given);
      return BenchExitCode.USAGE;
    }
  }

  private static void run(CommandLineOptions options) throws RunnerException, IOException {
    Runner runner = new Runner(options);
    if (options.shouldHelp()) {
      options.showHelp();
    } else if (options.shouldListProfilers()) {
      options.listProfilers();
    } else if (options.shouldListWithParams()) {
      runner.listWithParams(options);
    } else if (options.shouldList()) {
      runner.list();
    } else {
      runner.run();
    }
  }
}
