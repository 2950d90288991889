// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.papers;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.simulator.Simulator;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.cli.UsageException;
import io.coppice.tool.format.JsonLines;
import io.coppice.tool.simulate.Simulations;
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
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code papers}, which compares the claims of the papers with simulations. Used by one
 * thread.
 */
@Command(
    name = "papers",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "coppice-tool papers [PAGE] [OPTIONS]",
    header = "Simulates the claims of the papers and fills in the tables of a page.",
    description = {
      "",
      "Without PAGE it prints the tables as Markdown. With PAGE, such as docs/policies/papers.md, it",
      "prints the page with new tables between its markers; --write changes the file instead.",
      ""
    },
    footer = {
      "",
      "Example: papers --quick --json",
      "Example: papers --write docs/policies/papers.md",
      "Exit codes: 0 done, 1 failed, 2 wrong usage."
    })
public final class PapersCommand implements Callable<Integer> {

  /** Name of the marker whose text says how the page was made. */
  static final String MADE = "made";

  private static final List<CommandOptions.Help> HELP =
      List.of(
          new CommandOptions.Help("--quick", "", "Only the tables that take seconds."),
          new CommandOptions.Help("--only", "NAME,...", "Only these tables. Default: all."),
          CommandOptions.JSON,
          new CommandOptions.Help("--write", "", "Change the page."),
          new CommandOptions.Help(
              "--chart", "FILE", "Also draw delayed compaction under both merge rules."));

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private Path page;
  private boolean quick;
  private List<String> only = List.of();
  private boolean write;
  private boolean json;
  private Path chart;

  private PapersCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    PapersCommand command = new PapersCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), HELP);
    CommandOptions.declarePlaces(command.commandLine.getCommandSpec());
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    read(CommandOptions.of(commandLine));
    // Read first, so that a wrong file name costs no simulation.
    Optional<String> before = page == null ? Optional.empty() : Optional.of(Files.readString(page));
    long start = System.nanoTime();
    List<PapersTable> tables = tables();
    if (before.isPresent() && !hasPlace(before.get(), tables)) {
      throw new UsageException(
          List.of(
              "PAGE ("
                  + page
                  + ") has no place for these tables; add lines such as <!-- papers: "
                  + tables.get(0).name()
                  + " --> and <!-- end -->"));
    }
    Map<String, String> texts = new LinkedHashMap<>();
    Map<Scenario, SimulationReport> found = new HashMap<>();
    List<List<Scenario>> batches = batches(tables);
    double[] weights = Simulations.weights(batches.stream().flatMap(List::stream).toList());
    try (CommandProgress progress =
        CommandProgress.on(streams, "papers", weights, Simulations.THREADS)) {
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
    if (json) {
      ObjectNode root = JsonLines.object();
      ArrayNode all = root.putArray("tables");
      tables.forEach(table -> all.add(table.json(found)));
      JsonLines.print(root, streams.out());
    }
    if (!quick && only.isEmpty()) {
      texts.put(MADE, made(Duration.ofNanos(System.nanoTime() - start)));
    }
    if (chart != null) {
      Files.writeString(chart, PapersChart.of(found));
    }
    if (!json) {
      deliver(before, texts);
    }
    return ExitCode.DONE;
  }

  private List<PapersTable> tables() {
    return PapersTables.all().stream()
        .filter(table -> table.quick() || !quick)
        .filter(table -> only.isEmpty() || only.contains(table.name()))
        .toList();
  }

  private static boolean hasPlace(String page, List<PapersTable> tables) {
    List<String> names = new PapersPage(page).names();
    return tables.stream().anyMatch(table -> names.contains(table.name()));
  }

  private void read(CommandOptions options) {
    page =
        options.places(List.of("[PAGE]")).stream()
            .findFirst()
            .map(text -> options.oldFile("PAGE", text))
            .orElse(null);
    quick = options.flag("--quick");
    write = options.flag("--write");
    json = options.flag(CommandOptions.JSON.name());
    only =
        options.words(
            "--only", PapersTables.all().stream().map(PapersTable::name).toList(), "tables");
    chart = options.newFile("--chart").orElse(null);
    if (write && page == null) {
      options.fault("--write needs a page; name one, such as docs/policies/papers.md");
    }
    if (json && page != null) {
      options.fault("--json does not work with a page; remove one of them");
    }
    if (chart != null && (quick || options.flag("--only") && !only.contains(PapersChart.TABLE))) {
      options.fault(
          "--chart needs the table " + PapersChart.TABLE + "; remove --quick or add it to --only");
    }
    PapersTables.all().stream()
        .filter(table -> quick && !table.quick() && only.contains(table.name()))
        .forEach(
            table ->
                options.fault(
                    "--quick leaves out the table "
                        + table.name()
                        + "; remove --quick, or remove the table from --only"));
    options.complain();
  }

  private void deliver(Optional<String> before, Map<String, String> texts) throws IOException {
    String result =
        before
            .map(text -> new PapersPage(text).filled(texts))
            .orElseGet(() -> String.join("\n", texts.values()));
    streams.deliver(result, write ? Optional.of(page) : Optional.empty());
  }

  /** Returns, for each table, its scenarios that no earlier table needs. */
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
