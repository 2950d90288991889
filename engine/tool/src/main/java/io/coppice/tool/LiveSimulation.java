// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.simulator.WhatIfReport;
import io.coppice.tool.console.Endpoint;
import io.coppice.tool.console.WhatIfTrial;
import io.coppice.workload.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The work of {@code simulate --from-jmx}: a simulation that starts from the current state of a
 * table on a node or in a store.
 *
 * @param endpoint the process of the table
 * @param table {@code keyspace.table} or {@code store/family}
 * @param options options to change, or a whole policy
 * @param observeSeconds how long the table is observed first
 */
record LiveSimulation(Endpoint endpoint, String table, String options, int observeSeconds) {

  private static final int MAX_OBSERVE_SECONDS = 86_400;

  /** The options of {@code simulate} that concern a live table. */
  static final List<CommandOptions.Help> HELP =
      List.of(
          new CommandOptions.Help(
              "--from-jmx",
              "HOST[:PORT]",
              "Start from a table there: KEYSPACE.TABLE, or STORE/FAMILY."),
          new CommandOptions.Help(
              "--set", "OPTION=VALUE,...", "Options to change in the policy in force."),
          new CommandOptions.Help(
              "--observe", "SECONDS", "Watch it so long first, to know rates; default 0."));

  /**
   * Returns the requested simulation; empty if the options name no process.
   *
   * @param places the arguments besides options
   */
  static Optional<LiveSimulation> read(CommandOptions options, List<String> places) {
    Optional<String> from = options.text("--from-jmx");
    Optional<String> set = options.text("--set");
    int observe = (int) options.integer("--observe", 0, MAX_OBSERVE_SECONDS, 0);
    JmxLogin login = JmxLogin.read(options);
    if (from.isEmpty()) {
      if (!options.flag("--from-jmx")) {
        Stream.of(HELP, JmxLogin.HELP)
            .flatMap(List::stream)
            .map(CommandOptions.Help::name)
            .filter(options::flag)
            .forEach(name -> options.fault(name + " goes with --from-jmx alone"));
      }
      places.forEach(
          place -> options.fault("'" + place + "' is not understood; options begin with --"));
      return Optional.empty();
    }
    Optional<NodeAddress> address = NodeAddress.parse(from.get());
    if (address.isEmpty()) {
      options.fault("--from-jmx (" + from.get() + ") must be HOST or HOST:PORT");
    }
    if (places.size() != 1) {
      options.fault("--from-jmx goes with one KEYSPACE.TABLE or STORE/FAMILY");
    }
    SimulateOptions.HELP.stream()
        .map(CommandOptions.Help::name)
        .filter(name -> !name.equals("--policy"))
        .filter(options::flag)
        .forEach(name -> options.fault(name + " does not go with --from-jmx"));
    List<String> policies = options.all("--policy");
    if (set.isPresent() == !policies.isEmpty() || policies.size() > 1) {
      options.fault("either --set or one --policy says what is to be tried");
    }
    options.complain();
    return Optional.of(
        new LiveSimulation(
            new NodeEndpoint(address.orElseThrow(), login),
            places.get(0),
            set.orElseGet(() -> policies.get(0)),
            observe));
  }

  /** Runs the simulation and returns the exit code. */
  int run(CommandOutput streams) throws IOException {
    WhatIfTrial.Result result;
    try {
      result = result(streams);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage().lines().toList());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCode.FAILED;
    }
    print(result, streams);
    return ExitCode.DONE;
  }

  private WhatIfTrial.Result result(CommandOutput streams)
      throws IOException, InterruptedException {
    if (observeSeconds == 0) {
      return WhatIfTrial.at(endpoint, table, options, 0);
    }
    long start = System.nanoTime();
    double whole = TimeUnit.SECONDS.toNanos(observeSeconds);
    CommandProgress progress =
        CommandProgress.on(streams.err(), "observe", () -> (System.nanoTime() - start) / whole);
    try {
      return WhatIfTrial.at(endpoint, table, options, TimeUnit.SECONDS.toMillis(observeSeconds));
    } finally {
      progress.close();
    }
  }

  private void print(WhatIfTrial.Result result, CommandOutput streams) {
    WhatIfReport now = result.present();
    WhatIfReport then = result.proposed();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("once settled", "measured", "as it is", "changed"));
    rows.add(
        List.of(
            "write amplification",
            number(result.measuredWriteAmplification()),
            number(now.writeAmplification()),
            number(then.writeAmplification())));
    rows.add(
        List.of(
            "runs over a key",
            number(result.measuredRuns()),
            number(now.runsMean()),
            number(then.runsMean())));
    rows.add(
        List.of("space amplification", "-", number(now.spaceMean()), number(then.spaceMean())));
    rows.add(
        List.of(
            "transient space",
            "-",
            ByteText.format(now.transientBytes()),
            ByteText.format(then.transientBytes())));
    rows.add(
        List.of(
            "merged at once",
            "-",
            ByteText.format(now.settleBytes()),
            ByteText.format(then.settleBytes())));
    streams.out().println("coppice simulate · " + table + " on " + endpoint.name());
    streams.out().println("changed: " + result.policy());
    streams.out().println();
    TextTable.indented(rows).forEach(streams.out()::println);
    streams.out().println();
    streams
        .out()
        .println(
            " settles in "
                + seconds(result.settleSeconds())
                + "; "
                + then.flushes()
                + " flushes simulated, "
                + seconds(result.horizonSeconds())
                + " at the present rate");
    streams
        .out()
        .println(
            " error here: "
                + result
                    .error()
                    .map(
                        error ->
                            String.format(
                                Locale.ROOT,
                                "simulated %.2f, measured %.2f over %.0f s",
                                error.simulated(),
                                error.measured(),
                                error.seconds()))
                    .orElse("unverified; --observe watches the table first"));
    if (result.overfills()) {
      streams
          .out()
          .println(
              " WARNING: a merge would fill the disk by "
                  + ByteText.format(then.transientBytes())
                  + " for a moment, and "
                  + ByteText.format(result.freeBytes())
                  + " are free");
    }
    result.notes().forEach(note -> streams.out().println(" " + note));
  }

  private static String seconds(double seconds) {
    return Double.isFinite(seconds)
        ? String.format(Locale.ROOT, "%.0f s", seconds)
        : "a time not known";
  }

  private static String number(double number) {
    return Double.isFinite(number) ? String.format(Locale.ROOT, "%.2f", number) : "-";
  }
}
