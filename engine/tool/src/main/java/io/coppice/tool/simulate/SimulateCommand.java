// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import io.coppice.policy.observe.DecisionJournal;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationProgress;
import io.coppice.simulator.SimulationReport;
import io.coppice.simulator.Simulator;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JournalCodec;
import io.coppice.tool.jmx.JmxLogin;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code simulate}, which compares policies on one load. Used by one thread. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = {
      "coppice-tool simulate --policy NAME[,OPTION=VALUE...] [OPTIONS]",
      "coppice-tool simulate --jmx HOST[:PORT] TABLE --set OPTION=VALUE,... [OPTIONS]"
    },
    header = "Simulates policies on synthetic data and compares their costs.",
    description = {
      "",
      "Costs: bytes written per byte of the user (WA), runs that a lookup checks (RA), bytes on",
      "disk per live byte (SA), and the additional disk space of a running merge (transient).",
      "Sizes are decimal (64MB) or binary (64MiB). Options of policies take binary sizes only.",
      "--json prints one document; with --jmx its keys are those of the live simulation.",
      ""
    },
    footer = {
      "",
      "Example: simulate --policy split-forest,fanout=4 --policy leveled --data 1TB",
      "Example: simulate --jmx 10.0.0.1 ks.t --set vct=8 --observe 60",
      "Exit codes: 0 done, 1 failed, 2 wrong usage."
    })
public final class SimulateCommand implements Callable<Integer> {

  // A slice takes about 100 bytes, so the file stays within a few hundred megabytes.
  private static final int MAX_DECISIONS = 10_000;
  private static final int MAX_SLICES = 1_000_000;

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private SimulateCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    SimulateCommand command = new SimulateCommand(streams);
    List<CommandOptions.Help> help = new ArrayList<>(SimulateOptions.HELP);
    help.addAll(LiveSimulation.HELP);
    help.addAll(JmxLogin.HELP);
    CommandOptions.declare(command.commandLine.getCommandSpec(), help);
    CommandOptions.declarePlaces(command.commandLine.getCommandSpec());
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    CommandOptions given = CommandOptions.of(commandLine);
    Optional<LiveSimulation> live = LiveSimulation.read(given);
    if (live.isPresent()) {
      return live.get().run(streams);
    }
    SimulateOptions options = SimulateOptions.read(given);
    List<Scenario> scenarios = List.copyOf(options.scenarios().values());
    Optional<DecisionJournal> journal =
        options.journal().map(file -> new DecisionJournal(MAX_DECISIONS, MAX_SLICES));
    List<SimulationReport> reports;
    try (CommandProgress progress =
        CommandProgress.on(
            streams, "simulate", Simulations.weights(scenarios), Simulations.THREADS)) {
      reports = new Simulations(simulator(journal), progress).run(scenarios);
    }
    if (journal.isPresent()) {
      Files.write(
          options.journal().orElseThrow(),
          (Iterable<String>) journal.get().decisions().stream().map(JournalCodec::line)::iterator);
    }
    PolicyComparison found =
        new PolicyComparison(
            scenarios.get(0),
            PolicyComparison.pair(List.copyOf(options.scenarios().keySet()), reports));
    String text =
        switch (options.form()) {
          case TABLE -> SimulationText.of(found);
          case JSON -> JsonText.of(found);
          case SVG -> ChartPage.of(found);
        };
    streams.deliver(text, options.output());
    return ExitCode.DONE;
  }

  private static BiFunction<Scenario, SimulationProgress, SimulationReport> simulator(
      Optional<DecisionJournal> journal) {
    return journal.isPresent()
        ? (scenario, progress) -> Simulator.run(scenario, progress, journal.get())
        : Simulator::run;
  }
}
