// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.policy.spec.NameSuggestion;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code papers}, which compares the claims of the papers with simulations. */
@Command(
    name = "papers",
    mixinStandardHelpOptions = true,
    header = "Simulates what the papers claim, and fills in the tables of docs/policies/papers.md.",
    description = {
      "",
      "Without a page, prints the tables as Markdown. With one, prints the page with the tables",
      "between its markers made anew; --write puts it back into the file instead.",
      ""
    },
    footer = {"", "Exit codes: 0 done, 1 failed, 2 wrong usage."})
final class PapersCommand implements Callable<Integer> {

  /** Name of the marker on the page for the line about its creation. */
  static final String MADE = "made";

  private final CommandOutput streams;

  @Parameters(arity = "0..1", paramLabel = "PAGE", description = "A page with markers.")
  private Path page;

  @Option(names = "--quick", description = "Only the tables that take seconds.")
  private boolean quick;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Only these tables, separated by commas.")
  private List<String> only = List.of();

  @Option(names = "--write", description = "Change the page.")
  private boolean write;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Also draw delayed compaction under both merge rules.")
  private Path chart;

  PapersCommand(CommandOutput streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    complain();
    // Read first, so that a wrong file name costs no simulation.
    Optional<String> before = page == null ? Optional.empty() : Optional.of(Files.readString(page));
    long start = System.nanoTime();
    List<PapersTable> tables =
        PapersTables.all().stream()
            .filter(table -> table.quick() || !quick)
            .filter(table -> only.isEmpty() || only.contains(table.name()))
            .toList();
    Map<String, String> texts = new LinkedHashMap<>();
    Map<Scenario, SimulationReport> found = new HashMap<>();
    List<List<Scenario>> batches = batches(tables);
    double[] weights = Simulations.weights(batches.stream().flatMap(List::stream).toList());
    try (CommandProgress progress = CommandProgress.on(streams.err(), "papers", weights)) {
      Simulations simulations = new Simulations(Simulator::run, progress);
      for (int i = 0; i < tables.size(); i++) {
        List<Scenario> batch = batches.get(i);
        List<SimulationReport> reports = simulations.run(batch, found.size());
        for (int j = 0; j < batch.size(); j++) {
          found.put(batch.get(j), reports.get(j));
        }
        texts.put(tables.get(i).name(), tables.get(i).markdown(found));
        if (write) {
          // Written after each table, so that an interrupted command keeps the finished ones.
          deliver(before, texts);
        }
      }
    }
    if (!quick && only.isEmpty()) {
      texts.put(MADE, made(Duration.ofNanos(System.nanoTime() - start)));
    }
    if (chart != null) {
      Files.writeString(chart, PapersChart.of(found));
    }
    deliver(before, texts);
    return ExitCode.DONE;
  }

  private void complain() {
    List<String> faults = new ArrayList<>();
    List<String> known = PapersTables.all().stream().map(PapersTable::name).toList();
    for (String name : only) {
      if (!known.contains(name)) {
        faults.add("--only " + NameSuggestion.notUnderstood(name, known, "tables"));
      }
    }
    if (write && page == null) {
      faults.add("--write needs a page");
    }
    if (chart != null && (quick || !only.isEmpty() && !only.contains(PapersChart.TABLE))) {
      faults.add("--chart needs the table " + PapersChart.TABLE);
    }
    if (!faults.isEmpty()) {
      throw new UsageException(faults);
    }
  }

  private void deliver(Optional<String> before, Map<String, String> texts) throws IOException {
    String result =
        before
            .map(text -> new PapersPage(text).filled(texts))
            .orElseGet(() -> String.join("\n", texts.values()));
    streams.deliver(result, write ? Optional.of(page) : Optional.empty());
  }

  /** Returns the scenarios of each table that no earlier table needs. */
  private static List<List<Scenario>> batches(List<PapersTable> tables) {
    Set<Scenario> seen = new HashSet<>();
    List<List<Scenario>> batches = new ArrayList<>();
    for (PapersTable table : tables) {
      batches.add(table.scenarios().stream().filter(seen::add).toList());
    }
    return batches;
  }

  private static String made(Duration time) {
    return String.format(
        Locale.ROOT,
        "Made in %d min %d s, two simulations at a time, on %d cores and JDK %s.\n",
        time.toMinutes(),
        time.toSecondsPart(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.specification.version"));
  }
}
