// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.bench.ExitCode;
import io.coppice.bench.engine.Measured;
import io.coppice.bench.engine.Trial;
import io.coppice.bench.engine.Trials;
import io.coppice.bench.peers.Plan;
import io.coppice.bench.peers.Prediction;
import io.coppice.bench.read.ReadOptions;
import io.coppice.bench.read.ReadSuite;
import io.coppice.bench.suite.DataAtExit;
import io.coppice.bench.suite.Machine;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.ycsb.YcsbCell;
import io.coppice.bench.ycsb.YcsbResults;
import io.coppice.bench.ycsb.YcsbRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A run of experiments: measures what they need, and makes their rows. Used once. */
public final class PaperSuite {

  private static final String READ_ROWS = "cold_*";
  private static final int YCSB_THREADS = 4;
  private static final List<String> YCSB_WORKLOADS = List.of("a", "b", "c", "f", "d", "e");

  private final PaperOptions options;
  private final Path target;
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;

  /**
   * A run.
   *
   * @param target directory of data and reports
   * @param terminal true if a bar is to be drawn
   */
  public PaperSuite(
      PaperOptions options, Path target, PrintWriter out, PrintWriter err, boolean terminal) {
    this.options = options;
    this.target = target;
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** Measures, prints the rows, writes the files; returns the exit code. */
  public int run(String command) throws IOException, InterruptedException {
    Machine machine = Machine.now();
    List<Experiment> experiments = options.experiments();
    Set<String> wanted =
        experiments.stream().flatMap(each -> each.trials().stream()).collect(Collectors.toSet());
    List<Trial> trials =
        PaperLoads.of(options.scale(), options.seed()).stream()
            .filter(trial -> wanted.contains(trial.id()))
            .toList();
    String name = "papers-" + options.scale().label();
    Path kept = target.resolve(name + "-cells");
    Path data = target.resolve(name + "-data").toAbsolutePath();
    Plan plan = plan(trials, experiments);
    plan.lines().forEach(err::println);
    err.flush();
    int steps = steps(trials, experiments);
    ProgressLine progress =
        new ProgressLine(err, terminal, steps, steps, System::nanoTime)
            .weighing(work(trials, experiments))
            .ticking();
    DataAtExit leftover = DataAtExit.of(data);
    try {
      requireRoom(trials, experiments);
      if (!options.resume()) {
        Trials.forget(trials, kept);
        if (needs(experiments, Experiments.OF_RECORDS)) {
          YcsbRun.forget(kept);
        }
      }
      Measured measured =
          new Trials(trials, data, kept, options.resume(), machine.mark(), progress).run();
      Map<String, Double> rows = new HashMap<>();
      if (needs(experiments, Experiments.OF_READS)) {
        progress.begin("suite of reads", 1, ReadSuite.seconds(readOptions()));
        progress.yieldLine();
        rows.putAll(reads(command));
        progress.finished();
      }
      if (needs(experiments, Experiments.OF_RECORDS)) {
        rows.putAll(records(data, kept, machine, progress));
      }
      Resumption resumption =
          needs(experiments, Experiments.OF_MERGES)
              ? new ResumptionRun(options.scale(), options.seed(), data, progress).run()
              : null;
      progress.erase();
      Evidence evidence = new Evidence(measured, new Prediction(), rows, resumption);
      List<Finding> findings =
          experiments.stream().map(each -> each.finding().apply(evidence)).toList();
      report(new PaperReport(name + options.part(), command, machine, facts(), findings), measured);
      return ExitCode.DONE;
    } catch (Trials.EndedException e) {
      progress.erase();
      err.println(e.getMessage());
      err.println(e.consequence());
      return e.code();
    } finally {
      progress.erase();
      leftover.remove();
    }
  }

  /** Of all that is to be measured, in processes or suites. */
  Plan plan(List<Trial> trials, List<Experiment> experiments) throws IOException {
    Plan plan = Plan.of(trials, records(experiments), target);
    if (needs(experiments, Experiments.OF_READS)) {
      plan = plan.plus("suite of reads", ReadSuite.seconds(readOptions()));
    }
    if (needs(experiments, Experiments.OF_MERGES)) {
      plan =
          plan.plus(
              options.scale().kills() + " kills of merges and pauses",
              ResumptionRun.seconds(options.scale()));
    }
    return plan;
  }

  /** Of the progress: a process of a trial, a cell of YCSB, the suite of reads, all kills. */
  int steps(List<Trial> trials, List<Experiment> experiments) {
    return Trials.processes(trials)
        + records(experiments).size()
        + (needs(experiments, Experiments.OF_READS) ? 1 : 0)
        + (needs(experiments, Experiments.OF_MERGES) ? 1 : 0);
  }

  /** What the steps weigh together: the seconds that each takes. */
  private double work(List<Trial> trials, List<Experiment> experiments) {
    return Trials.seconds(trials)
        + YcsbRun.seconds(records(experiments))
        + (needs(experiments, Experiments.OF_READS) ? ReadSuite.seconds(readOptions()) : 0)
        + (needs(experiments, Experiments.OF_MERGES) ? ResumptionRun.seconds(options.scale()) : 0);
  }

  private List<YcsbCell> records(List<Experiment> experiments) {
    return needs(experiments, Experiments.OF_RECORDS) ? cells() : List.of();
  }

  private void requireRoom(List<Trial> trials, List<Experiment> experiments)
      throws IOException, Trials.EndedException {
    Trials.requireRoom(trials, target);
    YcsbRun.requireRoom(records(experiments), target);
    if (needs(experiments, Experiments.OF_READS)) {
      Trials.require("reads", ReadSuite.lacking(readOptions(), target));
    }
    if (needs(experiments, Experiments.OF_MERGES)) {
      Trials.require("kills and pauses", ResumptionRun.lacking(target));
    }
  }

  private static boolean needs(List<Experiment> experiments, List<String> ids) {
    return experiments.stream().anyMatch(each -> ids.contains(each.id()));
  }

  private List<String> facts() throws IOException {
    PaperScale scale = options.scale();
    return List.of(
        String.format(
            Locale.ROOT,
            "scale %s: %,d records of 256 B, %,d entries of 116 B, %,d keys of 1 KiB; memtable %d KiB,"
                + " tables half of it; no compression, log unsynced, one client, one merge thread;"
                + " seed %d; one round; files on %s",
            scale.label(),
            scale.records(),
            scale.entries(),
            scale.keys(),
            scale.memtableBytes() >> 10,
            options.seed(),
            Files.getFileStore(target).type()));
  }

  private void report(PaperReport report, Measured measured) throws IOException {
    report.lines().forEach(out::println);
    out.println();
    out.println(report.command());
    out.println("report: " + report.write(target));
    if (LeveledTiered.CURVES.stream().anyMatch(trial -> measured.has(trial, PaperLoads.LEVELED))) {
      Path chart = target.resolve(report.name() + "-leveled-tiered.svg");
      Files.writeString(chart, Curves.svg(measured, report.machine()));
      out.println("curves: " + chart);
    }
    out.flush();
  }

  private ReadOptions readOptions() {
    Map<String, String> given = new HashMap<>();
    given.put("scale", readScale());
    given.put("rows", READ_ROWS);
    given.put("seed", Long.toString(options.seed()));
    given.put("progress", options.progress());
    return ReadOptions.parse(given, List.of());
  }

  /** Ratios of the suite of reads, in a directory of its own. */
  private Map<String, Double> reads(String command)
      throws IOException, InterruptedException, Trials.EndedException {
    Path directory = target.resolve("papers-read");
    int code =
        new ReadSuite(readOptions(), directory, new PrintWriter(Writer.nullWriter()), err, terminal)
            .run(command);
    if (code != ExitCode.DONE) {
      throw new Trials.EndedException(
          "the suite of reads ended with code " + code, code == ExitCode.WRONG_ANSWERS);
    }
    Map<String, Double> ratios = new HashMap<>();
    JsonNode report =
        new ObjectMapper().readTree(directory.resolve(ReadSuite.NAME + ".json").toFile());
    for (JsonNode row : report.get("rows")) {
      if (!row.get("ratio").isNull()) {
        ratios.put(row.get("id").asText(), row.get("ratio").asDouble());
      }
    }
    return ratios;
  }

  private String readScale() {
    return switch (options.scale()) {
      case TINY, QUICK -> "tiny";
      case STANDARD -> "small";
      case PAPER -> "large";
    };
  }

  private List<YcsbCell> cells() {
    return Stream.of(PaperLoads.FOREST, PaperLoads.LEVELED)
        .map(
            store ->
                new YcsbCell(
                    store,
                    1,
                    options.scale().ycsbRecords(),
                    YCSB_THREADS,
                    options.scale().memtableBytes()))
        .toList();
  }

  /** The forest beside leveled, by workload. */
  private Map<String, Double> records(Path data, Path kept, Machine machine, ProgressLine progress)
      throws IOException, InterruptedException, Trials.EndedException {
    YcsbResults results =
        new YcsbRun(data, kept, options.resume(), machine.mark(), progress).run(cells());
    Map<String, Double> ratios = new HashMap<>();
    for (String workload : YCSB_WORKLOADS) {
      ratios.put(
          "ycsb_" + workload, results.ratio(PaperLoads.FOREST, PaperLoads.LEVELED, workload));
    }
    return ratios;
  }
}
