// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.report.Machine;
import io.coppice.bench.report.WholeFile;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One run of the command {@code bench}: measures the workloads on each store in turn, as often as
 * there are rounds. Used once.
 */
public final class Bench extends Suite {

  private final BenchOptions options;

  public Bench(BenchOptions options, Console console) {
    super(console, "data", false);
    this.options = options;
  }

  @Override
  protected Path[] filled() {
    return IntStream.range(0, options.stores().size()).mapToObj(this::data).toArray(Path[]::new);
  }

  private Path data(int store) {
    return target.resolve("data-" + store).toAbsolutePath();
  }

  @Override
  protected void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException {
    RunFailedException.require(ResourceCheck.lacking(options, target));
    int count = options.stores().size();
    int cellsOfRound = count * options.benchmarks().size();
    ProgressLine progress = progress(cellsOfRound * options.rounds(), cellsOfRound).ticking();
    List<List<Child.Outcome>> stores = new ArrayList<>();
    options.stores().forEach(store -> stores.add(new ArrayList<>()));
    for (int round = 1; round <= options.rounds(); round++) {
      for (int i = 0; i < count; i++) {
        // There and back, so that a drift of the machine affects all of them alike.
        int at = round % 2 == 1 ? i : count - 1 - i;
        StoreSpec store = options.stores().get(at);
        progress.begin(store.label() + " round " + round);
        Child.Outcome outcome = new Child(store, data(at), options, progress).run();
        outcome.check();
        stores.get(at).add(outcome);
      }
    }
    progress.erase();
    BenchReport report = new BenchReport(options, machine, stores);
    report.lines().forEach(out::println);
    Path file = WholeFile.write(target, options.name() + ".json", report.json(command));
    out.println();
    out.println(command);
    out.println("report: " + file);
    out.flush();
  }
}
