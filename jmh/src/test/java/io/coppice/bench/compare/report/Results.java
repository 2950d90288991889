// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.report.Records;
import io.coppice.bench.suite.OptionReader;
import io.coppice.bench.workload.RowState;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Results for tests, as a sound run would give them. */
public final class Results {

  public static final Contender STCS = Contender.all(1).get(0);
  static final Contender FOREST = contender("split-forest");

  static final Contender DELAYED = contender("delayed");

  private Results() {}

  /** Returns options, given as names and values in turn. */
  public static CompareOptions options(String... given) {
    Map<String, String> values = new TreeMap<>();
    for (int i = 0; i < given.length; i += 2) {
      values.put(given[i], given[i + 1]);
    }
    return CompareOptions.parse(new OptionReader(values));
  }

  /** Progress without output. */
  public static ComparisonProgress progress() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Estimate nothing = new Estimate(Map.of(), 1);
    return new ComparisonProgress(nowhere, false, 0, nothing, System::nanoTime);
  }

  static Contender contender(String id) {
    return Contender.all(1).stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
  }

  static Figures.Check check(String when, long wrong) {
    Map<RowState, Long> rows =
        Map.of(
            RowState.LIVE, 12_000L,
            RowState.DELETED, 3_000L,
            RowState.EXPIRED, 1_000L,
            RowState.NEVER_WRITTEN, 4_000L);
    return new Figures.Check(when, rows, wrong, wrong == 0 ? List.of() : List.of("row 1/2 is x"));
  }

  static final List<Figures.Check> CHECKS =
      List.of(check("after the load", 0), check("after the major", 0), check("after a restart", 0));

  private static final Map<ComparisonProgress.Phase, Figures.PhaseTime> PHASES =
      Map.of(ComparisonProgress.Phase.LOAD, new Figures.PhaseTime(20, 30.5));

  static Figures.Load load(int flushes, long rewritten, long counter, int rewrites, int moves) {
    return new Figures.Load(
        66_000,
        18_000,
        7_000_000,
        8.5,
        new Figures.Bytes(1_000_000, rewritten, 1_010_000, counter, 0),
        new Figures.Work(flushes, flushes, rewrites, moves, 0),
        new Figures.Structure(5, 4.5, 6),
        2.25,
        new Figures.Stalls(2, 345, 7),
        window(66, rewritten),
        null);
  }

  static Figures.Window window(int flushes, long rewritten) {
    return new Figures.Window(flushes, 8.5, 1_000_000, rewritten, 4.5, 6, 6, 1.5, 1.25, 8);
  }

  static Figures.Load with(Figures.Load load, Figures.Window window, Figures.Decisions decisions) {
    return Records.with(load, "window decisions", window, decisions);
  }

  static RunResult run(Contender contender, Figures.Load load, List<Figures.Check> checks) {
    return new RunResult(
        contender,
        1,
        false,
        contender.className(),
        "5.0.9",
        load,
        new Figures.Reads(1.5, 0.01, 4, 812.4, 3456.7),
        new Figures.Major(20_000_000, 8_000_000, 12_000_000, 10_000_000, 0.25, 60, 4567.8),
        checks,
        40.5,
        PHASES,
        null);
  }

  /** The same run with so many live SSTables at the end of its load. */
  static RunResult with(RunResult run, int sstables) {
    Figures.Structure structure = new Figures.Structure(sstables, 4.5, 6);
    return Records.with(run, "load", Records.with(run.load(), "structure", structure));
  }

  /** The same run with another major compaction. */
  static RunResult with(RunResult run, boolean majorOnly, Figures.Major major) {
    return Records.with(
        run,
        "majorOnly reads major checks",
        majorOnly,
        majorOnly ? null : run.reads(),
        major,
        majorOnly ? CHECKS.subList(1, 2) : run.checks());
  }

  static RunResult sound(Contender contender) {
    return run(contender, load(44, 1_500_000, 1_480_000, 13, 4), CHECKS);
  }

  static RunResult failed(Contender contender, String why) {
    return Records.with(
        run(contender, null, List.of()),
        "cassandra reads major phases failure",
        "",
        null,
        null,
        Map.of(),
        why);
  }
}
