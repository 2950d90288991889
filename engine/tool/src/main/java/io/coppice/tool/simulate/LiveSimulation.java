// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.simulator.whatif.WhatIfReport;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.cli.UsageException;
import io.coppice.tool.console.WhatIfTrial;
import io.coppice.tool.console.watch.Endpoint;
import io.coppice.tool.format.JsonLines;
import io.coppice.tool.jmx.JmxLogin;
import io.coppice.tool.jmx.JmxOption;
import io.coppice.tool.jmx.NodeAddress;
import io.coppice.tool.jmx.NodeEndpoint;
import io.coppice.workload.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Simulation of {@code simulate --jmx}, which starts from the current state of a table on a node or
 * in a store.
 *
 * @param endpoint the process of the table
 * @param table {@code keyspace.table} or {@code store/family}
 * @param options options to change, or a whole policy
 * @param observeSeconds how long the table is observed first
 * @param json whether to print JSON
 */
record LiveSimulation(
    Endpoint endpoint, String table, String options, int observeSeconds, boolean json) {

  private static final int MAX_OBSERVE_SECONDS = 86_400;

  /** The options of {@code simulate} that concern a live table. */
  static final List<CommandOptions.Help> HELP =
      List.of(
          new CommandOptions.Help(
              JmxOption.NAME,
              JmxOption.ONE.label(),
              "Start from a table of this process: KEYSPACE.TABLE or STORE/FAMILY."),
          new CommandOptions.Help(
              "--set", "OPTION=VALUE,...", "Options to change in the current policy."),
          new CommandOptions.Help(
              "--observe",
              "SECONDS",
              "Time to observe the table first, to know rates. Default: 0."));

  /**
   * Returns the requested simulation; empty if the options name no process.
   *
   * @throws UsageException if they name one and an option is at fault, naming every fault
   */
  static Optional<LiveSimulation> read(CommandOptions options) {
    Optional<String> set = options.text("--set");
    int observe = (int) options.integer("--observe", 0, MAX_OBSERVE_SECONDS, 0);
    JmxLogin login = JmxLogin.read(options);
    if (!options.flag(JmxOption.NAME)) {
      Stream.of(HELP, JmxLogin.HELP)
          .flatMap(List::stream)
          .map(CommandOptions.Help::name)
          .filter(options::flag)
          .forEach(name -> options.fault(name + " needs --jmx; add --jmx or remove " + name));
      options.places(List.of());
      return Optional.empty();
    }
    Optional<NodeAddress> address = JmxOption.one(options);
    List<String> places = options.places(List.of("KEYSPACE.TABLE|STORE/FAMILY"));
    SimulateOptions.HELP.stream()
        .map(CommandOptions.Help::name)
        .filter(name -> !List.of("--policy", CommandOptions.JSON.name()).contains(name))
        .filter(options::flag)
        .forEach(name -> options.fault(name + " does not work with --jmx; remove it"));
    List<String> policies = options.all("--policy");
    if (set.isPresent() == !policies.isEmpty() || policies.size() > 1) {
      options.fault("--jmx needs the change to simulate: either --set or one --policy");
    }
    options.complain();
    return Optional.of(
        new LiveSimulation(
            new NodeEndpoint(address.orElseThrow(), login),
            places.get(0),
            set.orElseGet(() -> policies.get(0)),
            observe,
            options.flag(CommandOptions.JSON.name())));
  }

  /**
   * Observes the table, runs the simulation, prints its result and returns the exit code.
   *
   * @throws UsageException if the table cannot be simulated or the options are invalid
   * @throws IOException if the process does not answer
   */
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
    if (json) {
      JsonLines.print(document(result), streams.out());
    } else {
      print(result, streams);
    }
    return ExitCode.DONE;
  }

  private WhatIfTrial.Result result(CommandOutput streams)
      throws IOException, InterruptedException {
    if (observeSeconds == 0) {
      return WhatIfTrial.at(endpoint, table, options, 0, streams.nanos());
    }
    LongSupplier nanos = streams.nanos();
    long start = nanos.getAsLong();
    double whole = TimeUnit.SECONDS.toNanos(observeSeconds);
    CommandProgress progress =
        CommandProgress.on(streams, "observe", () -> (nanos.getAsLong() - start) / whole);
    try {
      return WhatIfTrial.at(
          endpoint, table, options, TimeUnit.SECONDS.toMillis(observeSeconds), nanos);
    } finally {
      progress.close();
    }
  }

  private ObjectNode document(WhatIfTrial.Result result) {
    ObjectNode root = JsonLines.object();
    root.put("process", endpoint.name());
    root.put("table", table);
    root.put("changed_policy", result.policy());
    ObjectNode measured = root.putObject("measured");
    JsonLines.put(measured, "write_amplification", result.measuredWriteAmplification());
    JsonLines.put(measured, "runs_mean", result.measuredRuns());
    figures(root.putObject("present"), result.present());
    figures(root.putObject("changed"), result.proposed());
    JsonLines.put(root, "settle_seconds", result.settleSeconds());
    JsonLines.put(root, "horizon_seconds", result.horizonSeconds());
    root.put("flushes", result.proposed().flushes());
    ObjectNode error = root.putObject("error");
    JsonLines.put(
        error, "simulated", result.error().map(found -> found.simulated()).orElse(Double.NaN));
    JsonLines.put(
        error, "measured", result.error().map(found -> found.measured()).orElse(Double.NaN));
    root.put("overfills", result.overfills());
    JsonLines.count(root, "free_bytes", result.freeBytes());
    ArrayNode notes = root.putArray("notes");
    result.notes().forEach(notes::add);
    return root;
  }

  private static void figures(ObjectNode node, WhatIfReport report) {
    JsonLines.put(node, "write_amplification", report.writeAmplification());
    JsonLines.put(node, "runs_mean", report.runsMean());
    JsonLines.put(node, "space_mean", report.spaceMean());
    JsonLines.count(node, "transient_bytes", report.transientBytes());
    JsonLines.count(node, "settle_bytes", report.settleBytes());
  }

  private void print(WhatIfTrial.Result result, CommandOutput streams) {
    WhatIfReport now = result.present();
    WhatIfReport then = result.proposed();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("once settled", "measured", "present", "changed"));
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
            "merged at first",
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
        : "an unknown time";
  }

  private static String number(double number) {
    return TextTable.number("%.2f", number);
  }
}
