// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.ExitCode;
import io.coppice.bench.suite.DataAtExit;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.WholeFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A run: in each round every store once, in the order of the options and back in the next. One
 * store exists on disk at a time.
 */
public final class Bench {

  private final BenchOptions options;
  private final Path target;
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;

  /**
   * A run.
   *
   * @param target directory of data and report
   * @param terminal true if a bar is to be drawn
   */
  public Bench(
      BenchOptions options, Path target, PrintWriter out, PrintWriter err, boolean terminal) {
    this.options = options;
    this.target = target;
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** Measures, prints the table, writes the file; returns the exit code. */
  public int run(String command) throws IOException, InterruptedException {
    Machine machine = Machine.now();
    Optional<String> lacking = Room.lacking(options, target);
    if (lacking.isPresent()) {
      err.println(lacking.get());
      err.println("Nothing was started.");
      return ExitCode.ENVIRONMENT;
    }
    int count = options.stores().size();
    int cellsOfRound = count * options.benchmarks().size();
    ProgressLine progress =
        new ProgressLine(
                err, terminal, cellsOfRound * options.rounds(), cellsOfRound, System::nanoTime)
            .ticking();
    List<List<Child.Outcome>> stores = new ArrayList<>();
    options.stores().forEach(store -> stores.add(new ArrayList<>()));
    DataAtExit leftover =
        DataAtExit.of(IntStream.range(0, count).mapToObj(this::data).toArray(Path[]::new));
    try {
      for (int round = 1; round <= options.rounds(); round++) {
        for (int i = 0; i < count; i++) {
          // There and back, so that a drift of the machine meets all of them alike.
          int at = round % 2 == 1 ? i : count - 1 - i;
          StoreSpec store = options.stores().get(at);
          progress.begin(store.label() + " round " + round);
          Child.Outcome outcome = new Child(store, data(at), options, progress).run();
          if (!outcome.complete()) {
            progress.erase();
            return refuse(store.label(), outcome);
          }
          stores.get(at).add(outcome);
        }
      }
    } finally {
      progress.erase();
      leftover.remove();
    }
    progress.erase();
    Report report = new Report(options, machine, stores);
    report.lines().forEach(out::println);
    Path file = WholeFile.write(target, options.name() + ".json", report.json(command));
    out.println();
    out.println(command);
    out.println("report: " + file);
    out.flush();
    return ExitCode.DONE;
  }

  /** Of the store at this place of the options. */
  private Path data(int at) {
    return target.resolve("data-" + at).toAbsolutePath();
  }

  private int refuse(String store, Child.Outcome outcome) {
    if (outcome.wrong() != null) {
      err.println("wrong answer of " + store + ": " + outcome.wrong());
      err.println("The run is void; no figure of it is printed.");
      return ExitCode.WRONG_ANSWERS;
    }
    err.println(outcome.failure());
    err.println("The run is incomplete; no figure of it is printed.");
    return ExitCode.INCOMPLETE;
  }
}
