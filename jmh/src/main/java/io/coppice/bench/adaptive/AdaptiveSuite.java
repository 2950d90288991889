// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.bench.Directories;
import io.coppice.bench.ExitCode;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.SuiteReport;
import io.coppice.bench.suite.SuiteRow;
import io.coppice.policy.PolicySpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A run of the suite: each policy in turn, as often as there are rounds. Used once. */
public final class AdaptiveSuite {

  /** The suite's name, and that of its file. */
  public static final String NAME = "adaptive";

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=16g");

  private final AdaptiveOptions options;
  private final Path target;
  private final Path data;
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;
  private final Map<String, List<Outcome>> measured = new LinkedHashMap<>();
  private ProgressLine progress;

  /**
   * A run.
   *
   * @param target directory of data and report
   * @param terminal true if a bar is to be drawn
   */
  public AdaptiveSuite(
      AdaptiveOptions options, Path target, PrintWriter out, PrintWriter err, boolean terminal) {
    this.options = options;
    this.target = target;
    this.data = target.resolve(NAME + "-data").toAbsolutePath();
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** What is measured, by its name: the policy that follows the load first. */
  private Map<String, String> policies() {
    Map<String, String> policies = new LinkedHashMap<>();
    int dwell = options.scale().dwellSeconds();
    policies.put(NAME, NAME + ",window=" + dwell + ",dwell=" + dwell);
    for (String name : PolicySpec.policyNames()) {
      policies.putIfAbsent(name, name);
    }
    return policies;
  }

  /** Measures, prints the rows, writes the file; returns the exit code. */
  public int run(String command) throws IOException, InterruptedException {
    Machine machine = Machine.now();
    Map<String, String> policies = policies();
    progress =
        new ProgressLine(
            err, terminal, policies.size() * options.rounds(), policies.size(), System::nanoTime);
    policies.keySet().forEach(name -> measured.put(name, new ArrayList<>()));
    try {
      for (int round = 1; round <= options.rounds(); round++) {
        List<String> order = new ArrayList<>(policies.keySet());
        if (round % 2 == 0) {
          Collections.reverse(order);
        }
        for (String name : order) {
          Optional<Outcome> outcome = measure(name, policies.get(name), round);
          if (outcome.isEmpty()) {
            return ExitCode.INCOMPLETE;
          }
          measured.get(name).add(outcome.get());
        }
      }
    } finally {
      Directories.delete(data);
    }
    progress.erase();
    Map<String, List<Outcome>> fixed = new LinkedHashMap<>(measured);
    List<SuiteRow> rows = AdaptiveRows.of(fixed.remove(NAME), fixed);
    SuiteReport report =
        new SuiteReport(NAME, command, machine, facts(policies), options.rounds(), rows);
    report.print(out, target);
    return ExitCode.DONE;
  }

  /** One policy through all phases; empty once it is told why there is nothing. */
  private Optional<Outcome> measure(String name, String policy, int round)
      throws IOException, InterruptedException {
    progress.begin(name + " round " + round);
    Directories.delete(data);
    Path directory = Files.createDirectories(data).resolve(name);
    Heard heard = new Heard(policy);
    ChildJava.Ended ended =
        new ChildJava(
                data,
                FLAGS,
                PhasesProcess.class,
                List.of(
                    policy,
                    directory.toString(),
                    options.scale().label(),
                    Long.toString(options.seed())))
            .run(heard::line);
    progress.finished();
    if (ended.code() != 0 || heard.whole == null) {
      progress.erase();
      err.println(
          heard.wrong == null
              ? name + " ended with code " + ended.code() + ":\n" + ended.errors()
              : "wrong answer of " + name + ": " + heard.wrong);
      err.println("The run is not valid; no figure of it is printed.");
      return Optional.empty();
    }
    return Optional.of(heard.outcome());
  }

  /** What a process tells. */
  private final class Heard {
    private final Map<Phase, Double> rates = new EnumMap<>(Phase.class);
    private final List<Integer> rungs = new ArrayList<>();
    private double[] whole;
    private String wrong;

    Heard(String policy) {
      if (policy.startsWith(NAME)) {
        rungs.add(PhasesProcess.firstRung(policy));
      }
    }

    void line(String line) throws IOException {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "at" -> progress.at("operations", Long.parseLong(words[1]), Long.parseLong(words[2]));
        case "phase" -> rates.put(Phase.named(words[1]), Double.parseDouble(words[2]));
        case "rung" -> rungs.add(Integer.parseInt(words[1]));
        case "whole" ->
            whole =
                Arrays.stream(words, 1, words.length).mapToDouble(Double::parseDouble).toArray();
        case "wrong" -> wrong = line.substring(words[0].length() + 1);
        default -> throw new IOException("not understood: " + line);
      }
    }

    Outcome outcome() {
      return new Outcome(rates, whole[0], whole[1], whole[2], rungs);
    }
  }

  private List<String> facts(Map<String, String> policies) {
    AdaptiveScale scale = options.scale();
    String phases =
        Arrays.stream(Phase.values())
            .map(
                phase ->
                    String.format(
                        Locale.ROOT, "%s (%,d operations)", phase.mix(), scale.operations(phase)))
            .collect(Collectors.joining(", then "));
    return List.of(
        String.format(
            Locale.ROOT,
            "scale %s, %d rounds, seed %d: %s; %,d keys drawn alike, 16 + %d B, walks of %d"
                + " entries; memtable %d MiB",
            scale.label(),
            options.rounds(),
            options.seed(),
            phases,
            scale.keys(),
            AdaptiveScale.VALUE_BYTES,
            AdaptiveScale.SCAN_ENTRIES,
            scale.memtableBytes() >> 20),
        "ours is "
            + policies.get(NAME)
            + ", peer the policy that the row names, at its defaults; a phase has what merges of the"
            + " one before still do; whole ends when nothing is merged any more",
        "one client, one merge thread, log unsynced, page cache unbounded; every answer checked; each"
            + " store and round in a JVM of its own, "
            + String.join(" ", FLAGS));
  }
}
