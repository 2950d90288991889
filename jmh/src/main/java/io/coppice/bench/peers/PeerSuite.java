// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.Trial;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.engine.Trials;
import io.coppice.bench.report.Machine;
import io.coppice.bench.report.SuiteReport;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.report.Texts;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.SavedResults;
import io.coppice.bench.suite.Suite;
import io.coppice.bench.ycsb.YcsbCell;
import io.coppice.bench.ycsb.YcsbResults;
import io.coppice.bench.ycsb.YcsbRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One run of a suite: probes the machine, prints the schedule, measures, and makes the rows. Used
 * once.
 */
public final class PeerSuite extends Suite {

  private final PeerOptions options;

  public PeerSuite(PeerOptions options, Console console) {
    super(console, options.name() + "-data", true);
    this.options = options;
  }

  @Override
  protected void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException {
    Path kept = target.resolve(options.name() + "-cells");
    List<Trial> trials = options.ycsbAlone() ? List.of() : options.trials();
    List<YcsbCell> ycsb =
        options.withoutYcsb()
            ? List.of()
            : YcsbCell.of(
                options.scale().records(), options.rounds(), 1, options.scale().memtableBytes());
    Probe probe = Probe.of(target);
    SuiteSchedule.of(trials, ycsb, probe).lines().forEach(err::println);
    err.flush();
    double grouped = options.cgroup().isEmpty() ? 0 : MemoryGroup.seconds(trials);
    ProgressLine progress =
        progress(
                Trials.processes(trials) + ycsb.size() + (grouped > 0 ? 1 : 0),
                Math.max(1, trials.stream().mapToInt(trial -> trial.stores().size()).sum()))
            .weighing(Trials.seconds(trials) + YcsbRun.seconds(ycsb) + grouped)
            .ticking();
    Trials.requireRoom(trials, target);
    YcsbRun.requireRoom(ycsb, target);
    if (!options.resume()) {
      forget(trials, ycsb, kept);
    }
    SavedResults results = new SavedResults(kept, options.resume(), machine.mark(), progress);
    TrialResults measured = new Trials(trials, data, results).run();
    YcsbResults records = new YcsbRun(data, results).run(ycsb);
    List<SuiteRow> rows = new ArrayList<>();
    if (!options.ycsbAlone()) {
      rows.addAll(PeerRows.of(measured, probe, options.leftOut()));
      rows.add(MemoryGroup.row(options.cgroup(), data, measured, progress, grouped));
    }
    rows.addAll(records.rows());
    progress.erase();
    report(command, machine, measured, rows, probe);
  }

  /**
   * Deletes saved results of these loads from an interrupted run. Results of other loads stay,
   * because a later run may need them.
   */
  private void forget(List<Trial> trials, List<YcsbCell> ycsb, Path kept) throws IOException {
    if (options.only().isEmpty()) {
      Directories.delete(kept);
      return;
    }
    Trials.forget(trials, kept);
    if (!ycsb.isEmpty()) {
      YcsbRun.forget(kept);
    }
  }

  private void report(
      String command, Machine machine, TrialResults measured, List<SuiteRow> rows, Probe probe)
      throws IOException {
    String name = options.reportName();
    SuiteReport report =
        new SuiteReport(name, command, machine, facts(measured, probe), options.rounds(), rows);
    report.print(out, target);
    Path summary = target.resolve(name + "-summary.tsv");
    Files.writeString(summary, Summary.text(measured, machine));
    out.println("cells: " + summary);
    Path chart = target.resolve(name + ".svg");
    Files.writeString(chart, RatioChart.svg(report));
    out.println("chart: " + chart);
    out.flush();
  }

  private List<String> facts(TrialResults measured, Probe probe) throws IOException {
    List<String> facts = new ArrayList<>(Texts.facts(PeerSuite.class, options));
    if (!options.only().isEmpty()) {
      facts.add("loads: " + String.join(", ", options.only()) + "; the others were left out");
    }
    facts.add(probe.line() + "; files on " + Files.getFileStore(target).type());
    if (options.withoutYcsb()) {
      facts.set(1, "YCSB was left out");
    }
    Map<String, String> described = new LinkedHashMap<>();
    for (String key : measured.keys()) {
      String[] words = key.split(" ");
      described.putIfAbsent(words[1], describe(measured, words[0], words[1]));
    }
    facts.addAll(described.values());
    return facts;
  }

  private static String describe(TrialResults measured, String trial, String label) {
    return label
        + ": "
        + measured
            .rounds(trial, Trials.store(label))
            .get(0)
            .store()
            .replaceFirst(",table_size=\\d+$", "");
  }
}
