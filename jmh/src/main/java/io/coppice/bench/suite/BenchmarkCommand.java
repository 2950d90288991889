// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.report.FigureTable;
import io.coppice.workload.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Base of the commands: options from a table, and an exit code for each kind of failure. */
@Command(mixinStandardHelpOptions = true, modelTransformer = CommandTable.class)
public abstract class BenchmarkCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** Arguments that are no option. */
  @Unmatched protected List<String> unknown = new ArrayList<>();

  /**
   * Carries out the command and returns its exit code.
   *
   * @param reader the options, with a fault for each unknown argument
   * @throws Exception a failure, whose kind determines the exit code
   */
  protected abstract int run(OptionReader reader) throws Exception;

  @Override
  public final Integer call() throws Exception {
    try {
      return run(reader(unknown));
    } catch (InvalidOptionsException e) {
      e.errors().forEach(err()::println);
      String name = spec.qualifiedName().substring(spec.root().name().length());
      err().println("Nothing was started. See: java -jar coppice-bench.jar" + name + " --help");
      return BenchExitCode.USAGE;
    } catch (RunFailedException e) {
      err().println(e.getMessage());
      if (e.code() != BenchExitCode.INCOMPLETE) {
        err().println(e.consequence());
      }
      return e.code();
    }
  }

  /** Returns the values and defaults of the options, by name without dashes. */
  protected final Map<String, String> given() {
    return CommandTable.given(spec);
  }

  /**
   * Returns a reader of the options, which has already recorded a fault for each of these unknown
   * arguments.
   */
  protected final OptionReader reader(List<String> arguments) {
    List<String> names =
        spec.options().stream()
            .map(OptionSpec::longestName)
            .map(name -> name.substring(2))
            .toList();
    return new OptionReader(given()).unknown(arguments, names);
  }

  /**
   * Begins the result table of this command.
   *
   * @param type record type of the rows
   * @param reader the options; with {@code json} the result is one JSON document
   * @param facts facts about the run, one sentence each
   */
  protected final FigureTable table(
      Class<? extends Record> type, OptionReader reader, String... facts) {
    boolean asJson = reader.has("json");
    return new FigureTable(spec.name(), type, typed(), out(), asJson, List.of(facts));
  }

  /** Ends the table with notes and returns the exit code of a completed command. */
  protected static int end(FigureTable table, String... notes) {
    table.end(notes);
    return BenchExitCode.DONE;
  }

  /**
   * Returns a progress line, drawn in place on a terminal.
   *
   * @param cells number of steps in all rounds
   * @param cellsOfRound number of steps in a round
   */
  protected final ProgressLine progress(int cells, int cellsOfRound) {
    boolean drawn = Terminal.isInteractive();
    return new ProgressLine(err(), drawn, cells, cellsOfRound, System::nanoTime);
  }

  /** Work of processes that report their progress. */
  protected interface Progressing<T> {
    T run(ProgressLine progress) throws IOException, InterruptedException, RunFailedException;
  }

  /**
   * Runs processes on the directory of this command, which is emptied before and removed
   * afterwards, with a progress line of their own.
   */
  protected final <T> T process(String name, Progressing<T> work)
      throws IOException, InterruptedException, RunFailedException {
    ProgressLine progress = progress(1, 1);
    Directories.delete(directory());
    try {
      progress.begin(name);
      return work.run(progress);
    } finally {
      progress.erase();
      Directories.delete(directory());
    }
  }

  /** Returns the directory for this command's files. */
  protected final Path directory() {
    return Path.of("target", "bench", spec.name()).toAbsolutePath();
  }

  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /**
   * Returns whether progress is redrawn in place.
   *
   * @param progress {@code bar}, {@code plain}, or {@code auto} for a bar on a terminal only
   */
  public static boolean drawn(String progress) {
    return progress.equals("bar") || progress.equals("auto") && Terminal.isInteractive();
  }

  /** Returns the command line that was typed. */
  protected final String typed() {
    return "java -jar jmh/target/coppice-bench.jar "
        + String.join(" ", spec.commandLine().getParseResult().originalArgs());
  }
}
