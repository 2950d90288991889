// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.engine.Trial;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.engine.Trials;
import io.coppice.bench.peers.Prediction;
import io.coppice.bench.peers.SuiteSchedule;
import io.coppice.bench.read.ReadOptions;
import io.coppice.bench.read.ReadSuite;
import io.coppice.bench.report.Machine;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.Texts;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.SavedResults;
import io.coppice.bench.suite.Suite;
import io.coppice.bench.ycsb.YcsbCell;
import io.coppice.bench.ycsb.YcsbResults;
import io.coppice.bench.ycsb.YcsbRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run of the papers' experiments: makes the measurements that they need, and the rows of the
 * report. Used once.
 */
public final class PaperSuite extends Suite {

  private static final String READ_ROWS = "cold_*";
  private static final int YCSB_THREADS = 4;
  private static final List<String> YCSB_WORKLOADS = List.of("a", "b", "c", "f", "d", "e");

  private final PaperOptions options;
  private final String name;

  public PaperSuite(PaperOptions options, Console console) {
    super(console, "papers-" + options.scale().label() + "-data", true);
    this.options = options;
    this.name = "papers-" + options.scale().label();
  }

  @Override
  protected void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException {
    List<Experiment> experiments = options.experiments();
    Set<String> wanted =
        experiments.stream().flatMap(each -> each.trials().stream()).collect(Collectors.toSet());
    List<Trial> trials =
        PaperLoads.of(options.scale(), options.seed()).stream()
            .filter(trial -> wanted.contains(trial.id()))
            .toList();
    Path kept = target.resolve(name + "-cells");
    plan(trials, experiments).lines().forEach(err::println);
    err.flush();
    int steps = steps(trials, experiments);
    double work = Trials.seconds(trials) + YcsbRun.seconds(records(experiments));
    for (Part part : parts(experiments)) {
      work += part.seconds;
    }
    ProgressLine progress = progress(steps, steps).weighing(work).ticking();
    requireRoom(trials, experiments);
    if (!options.resume()) {
      Trials.forget(trials, kept);
      if (needs(experiments, Experiment.OF_RECORDS)) {
        YcsbRun.forget(kept);
      }
    }
    SavedResults results = new SavedResults(kept, options.resume(), machine.mark(), progress);
    TrialResults measured = new Trials(trials, data, results).run();
    Map<String, Double> rows = new HashMap<>();
    if (needs(experiments, Experiment.OF_READS)) {
      progress.begin("suite of reads", 1, ReadSuite.seconds(readOptions()));
      progress.yieldLine();
      rows.putAll(reads(command));
      progress.finished();
    }
    if (needs(experiments, Experiment.OF_RECORDS)) {
      rows.putAll(records(results));
    }
    Resumption resumption =
        needs(experiments, Experiment.OF_MERGES)
            ? new ResumptionRun(options.scale(), options.seed(), data, progress).run()
            : null;
    progress.erase();
    Evidence evidence = new Evidence(measured, new Prediction(), rows, resumption);
    List<Finding> findings = experiments.stream().map(each -> each.finding(evidence)).toList();
    List<String> facts = new ArrayList<>(Texts.facts(PaperSuite.class, options));
    facts.add("files on " + Files.getFileStore(target).type());
    report(new PaperReport(name + options.part(), command, machine, facts, findings), measured);
  }

  /** Returns the schedule of all processes, with those of the suites {@code read} and YCSB. */
  SuiteSchedule plan(List<Trial> trials, List<Experiment> experiments) throws IOException {
    SuiteSchedule plan = SuiteSchedule.of(trials, records(experiments), target);
    for (Part part : parts(experiments)) {
      plan = plan.plus(part.name, part.seconds);
    }
    return plan;
  }

  /** Measurement other than a trial, with its expected seconds. */
  private record Part(String name, double seconds) {}

  private List<Part> parts(List<Experiment> experiments) {
    List<Part> parts = new ArrayList<>();
    if (needs(experiments, Experiment.OF_READS)) {
      parts.add(new Part("suite of reads", ReadSuite.seconds(readOptions())));
    }
    if (needs(experiments, Experiment.OF_MERGES)) {
      String name = options.scale().kills() + " kills of merges and pauses";
      parts.add(new Part(name, ResumptionRun.seconds(options.scale())));
    }
    return parts;
  }

  /**
   * Returns the number of steps for the progress: processes of trials, processes of YCSB, the suite
   * {@code read}, and the processes of killed and paused merges.
   */
  int steps(List<Trial> trials, List<Experiment> experiments) {
    return Trials.processes(trials) + records(experiments).size() + parts(experiments).size();
  }

  private List<YcsbCell> records(List<Experiment> experiments) {
    return needs(experiments, Experiment.OF_RECORDS) ? cells() : List.of();
  }

  private void requireRoom(List<Trial> trials, List<Experiment> experiments)
      throws IOException, RunFailedException {
    Trials.requireRoom(trials, target);
    YcsbRun.requireRoom(records(experiments), target);
    if (needs(experiments, Experiment.OF_READS)) {
      RunFailedException.require(
          ReadSuite.lacking(readOptions(), target).map(lacking -> "reads: " + lacking));
    }
    if (needs(experiments, Experiment.OF_MERGES)) {
      RunFailedException.require(
          ResumptionRun.lacking(target).map(lacking -> "kills and pauses: " + lacking));
    }
  }

  private static boolean needs(List<Experiment> experiments, List<String> ids) {
    return experiments.stream().anyMatch(each -> ids.contains(each.id()));
  }

  private void report(PaperReport report, TrialResults measured) throws IOException {
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

  /** Runs the suite {@code read} in a directory of its own and returns its ratios by row id. */
  private Map<String, Double> reads(String command)
      throws IOException, InterruptedException, RunFailedException {
    Path directory = target.resolve("papers-read");
    int code =
        new ReadSuite(
                readOptions(),
                new Console(directory, new PrintWriter(Writer.nullWriter()), err, console.drawn()))
            .run(command);
    if (code != BenchExitCode.DONE) {
      throw new RunFailedException(
          "the suite of reads ended with code " + code, code == BenchExitCode.WRONG_ANSWERS);
    }
    Map<String, Double> ratios = new HashMap<>();
    JsonNode report = RecordJson.read(directory.resolve(ReadSuite.NAME + ".json"));
    for (JsonNode row : report.get("rows")) {
      if (!row.get("ratio").isNull()) {
        ratios.put(row.get("id").asText(), row.get("ratio").asDouble());
      }
    }
    return ratios;
  }

  private String readScale() {
    return switch (options.scale().label()) {
      case "standard" -> "small";
      case "paper" -> "large";
      default -> "tiny";
    };
  }

  private List<YcsbCell> cells() {
    PaperScale scale = options.scale();
    return Stream.of(PaperLoads.FOREST, PaperLoads.LEVELED)
        .map(one -> new YcsbCell(one, 1, scale.ycsbRecords(), YCSB_THREADS, scale.memtableBytes()))
        .toList();
  }

  /**
   * Returns the rate of the split forest divided by that of leveled compaction, for each workload
   * of YCSB.
   */
  private Map<String, Double> records(SavedResults kept)
      throws IOException, InterruptedException, RunFailedException {
    YcsbResults results = new YcsbRun(data, kept).run(cells());
    Map<String, Double> ratios = new HashMap<>();
    for (String workload : YCSB_WORKLOADS) {
      ratios.put(
          "ycsb_" + workload, results.ratio(PaperLoads.FOREST, PaperLoads.LEVELED, workload));
    }
    return ratios;
  }
}
