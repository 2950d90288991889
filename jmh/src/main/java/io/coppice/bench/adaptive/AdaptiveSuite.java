// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.bench.Directories;
import io.coppice.bench.ExitCode;
import io.coppice.bench.engine.Room;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.DataAtExit;
import io.coppice.bench.suite.KeptLines;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.SuiteReport;
import io.coppice.bench.suite.SuiteRow;
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

  /** Memtables and cache of a store, beside its heap. */
  private static final long MOST_MEMORY = 1L << 30;

  private final AdaptiveOptions options;
  private final Path target;
  private final Path data;
  private final Path kept;
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;
  private final Map<String, List<Outcome>> measured = new LinkedHashMap<>();
  private ProgressLine progress;

  /** Of a run that ended early. */
  private int code = ExitCode.INCOMPLETE;

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
    this.kept = target.resolve(NAME + "-passages");
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /**
   * Measures, prints the rows, writes the file; returns the exit code. What a policy did is kept as
   * soon as its process has ended, so that a run of hours can be taken up again.
   */
  public int run(String command) throws IOException, InterruptedException {
    Machine machine = Machine.now();
    Optional<String> lacking =
        Room.lacking(Room.peakBytes(options.scale().liveBytes()), MOST_MEMORY, target);
    if (lacking.isPresent()) {
      err.println(lacking.get());
      err.println("Nothing was started.");
      return ExitCode.ENVIRONMENT;
    }
    if (!options.resume()) {
      Directories.delete(kept);
    }
    Files.createDirectories(kept);
    List<Contender> contenders = options.contenders();
    progress =
        new ProgressLine(
            err,
            terminal,
            contenders.size() * options.rounds(),
            contenders.size(),
            System::nanoTime);
    contenders.forEach(one -> measured.put(one.name(), new ArrayList<>()));
    DataAtExit leftover = DataAtExit.of(data);
    try {
      for (int round = 1; round <= options.rounds(); round++) {
        List<Contender> order = new ArrayList<>(contenders);
        if (round % 2 == 0) {
          Collections.reverse(order);
        }
        for (Contender contender : order) {
          Optional<Outcome> outcome = measure(contender, round, machine);
          if (outcome.isEmpty()) {
            return code;
          }
          measured.get(contender.name()).add(outcome.get());
        }
      }
    } finally {
      leftover.remove();
    }
    progress.erase();
    List<SuiteRow> rows = AdaptiveRows.of(measured);
    SuiteReport report = new SuiteReport(NAME, command, machine, facts(), options.rounds(), rows);
    report.print(out, target);
    return ExitCode.DONE;
  }

  /** One policy through all phases; empty once it is told why there is nothing. */
  private Optional<Outcome> measure(Contender contender, int round, Machine machine)
      throws IOException, InterruptedException {
    String name = contender.name();
    KeptLines passage = passage(contender, round, machine);
    Optional<List<String>> earlier = options.resume() ? passage.kept() : Optional.empty();
    if (earlier.isPresent()) {
      progress.skip(1);
      return Optional.of(Heard.of(earlier.get()).outcome());
    }
    progress.begin(name + " round " + round);
    Directories.delete(data);
    Path directory = Files.createDirectories(data).resolve(name);
    Heard heard = new Heard();
    ChildJava.Ended ended =
        new ChildJava(
                data,
                FLAGS,
                PhasesProcess.class,
                List.of(
                    name,
                    directory.toString(),
                    options.scale().label(),
                    Long.toString(options.seed()),
                    Integer.toString(round)))
            .run(line -> hear(line, heard));
    if (ended.code() != 0 || heard.whole == null) {
      progress.erase();
      err.println(
          heard.wrong == null
              ? name + " ended with code " + ended.code() + ":\n" + ended.errors()
              : "wrong answer of " + name + ": " + heard.wrong);
      err.println(
          heard.wrong == null
              ? "The run is incomplete; no figure of it is printed. --resume takes it up again."
              : "The run is not valid; no figure of it is printed.");
      code = heard.wrong == null ? ExitCode.INCOMPLETE : ExitCode.WRONG_ANSWERS;
      return Optional.empty();
    }
    passage.keep(heard.lines);
    progress.finished();
    return Optional.of(heard.outcome());
  }

  /** Where what a policy did is kept: of another commit, machine or load it does not count. */
  KeptLines passage(Contender contender, int round, Machine machine) {
    return new KeptLines(
        kept.resolve(contender.name() + "-" + round + ".txt"),
        String.join(
            ", ",
            machine.mark(),
            contender.policy(),
            "scale " + options.scale().label(),
            "seed " + options.seed(),
            "round " + round));
  }

  private void hear(String line, Heard heard) throws IOException {
    if (line.startsWith("at ")) {
      String[] words = line.split(" ");
      progress.at(words[1], Double.parseDouble(words[2]));
    } else {
      heard.line(line);
    }
  }

  /** What a process tells. */
  private static final class Heard {
    private final List<String> lines = new ArrayList<>();
    private final Map<Phase, PhaseFigures> phases = new EnumMap<>(Phase.class);
    private double[] switches;
    private double[] whole;
    private String wrong;

    static Heard of(List<String> lines) throws IOException {
      Heard heard = new Heard();
      for (String line : lines) {
        heard.line(line);
      }
      return heard;
    }

    void line(String line) throws IOException {
      lines.add(line);
      String[] words = line.split(" ");
      switch (words[0]) {
        case "phase" -> phases.put(Phase.named(words[1]), PhaseFigures.parse(words, 2));
        case "switches" -> switches = numbers(words);
        case "whole" -> whole = numbers(words);
        case "wrong" -> wrong = line.substring(words[0].length() + 1);
        default -> throw new IOException("not understood: " + line);
      }
    }

    private static double[] numbers(String[] words) {
      return Arrays.stream(words, 1, words.length).mapToDouble(Double::parseDouble).toArray();
    }

    Outcome outcome() {
      return new Outcome(
          phases,
          whole[0],
          whole[1],
          new Outcome.Switches((int) switches[0], switches[1], switches[2]));
    }
  }

  private List<String> facts() {
    AdaptiveScale scale = options.scale();
    String phases = Arrays.stream(Phase.values()).map(Phase::mix).collect(Collectors.joining("; "));
    String turning =
        options.contenders().stream()
            .filter(Contender::turns)
            .map(one -> one.name() + " is " + one.policy())
            .collect(Collectors.joining(", "));
    return List.of(
        String.format(
            Locale.ROOT,
            "scale %s, %d rounds, seed %d: %s; phases of %s; %,d keys of 16 + %d B, filled before,"
                + " walks of %d entries; memtable %d MiB",
            scale.label(),
            options.rounds(),
            options.seed(),
            phases,
            scale.phases(),
            scale.keys(),
            AdaptiveScale.VALUE_BYTES,
            AdaptiveScale.SCAN_ENTRIES,
            scale.memtableBytes() >> 20),
        turning
            + "; oracle gets a rung chosen beforehand for each phase at its start, random one by chance every "
            + scale.dwellSeconds()
            + " s; other policies are at their defaults",
        "a rate is operations over time until merges rest after the phase; the whole is the"
            + " geometric mean of the phases' rates, each from its first second on",
        "one client, one merge thread, log unsynced, page cache unbounded; every answer checked; each"
            + " policy and round in a JVM of its own, "
            + String.join(" ", FLAGS));
  }
}
