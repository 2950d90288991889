// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One figure of the report.
 *
 * @param title heads the column
 * @param decimals shown after the point
 * @param figure of a run; not a number where the run did not get so far
 */
record Column(String title, int decimals, ToDoubleFunction<RunResult> figure) {

  static final Column WRITE_AMPLIFICATION =
      new Column("WA", 2, load(Figures.Load::writeAmplification));
  static final Column HIT = new Column("RA hit", 2, reads(Figures.Reads::hit));
  static final Column MISS = new Column("RA miss", 2, reads(Figures.Reads::miss));
  static final Column SCAN = new Column("scan 10", 2, reads(Figures.Reads::scan10));
  static final Column MEAN_RUNS =
      new Column("runs/token", 2, load(l -> l.structure().meanOverlap()));
  static final Column MAX_RUNS = new Column("max", 0, load(l -> l.structure().maxOverlap()));
  static final Column MEAN_SPACE = new Column("SA mean", 2, load(l -> l.space().mean()));
  static final Column PEAK_SPACE = new Column("SA peak", 2, load(l -> l.space().peak()));
  static final Column MAJOR_MB = new Column("major +MB", 1, major(m -> m.extraBytes() / 1e6));
  static final Column MAJOR_PERCENT = new Column("+%", 1, major(Figures.Major::extraPercent));
  static final Column MAJOR_SECONDS = new Column("s", 1, major(Figures.Major::seconds));
  static final Column STALLS = new Column("stalls", 0, load(l -> l.stalls().count()));
  static final Column STALL_MILLIS = new Column("ms", 0, load(l -> l.stalls().millis()));
  static final Column P50 = new Column("p50 us", 0, reads(Figures.Reads::p50Micros));
  static final Column P99 = new Column("p99 us", 0, reads(Figures.Reads::p99Micros));
  static final Column FLUSHES = new Column("flushes", 0, load(l -> l.work().flushes()));
  static final Column REWRITES = new Column("rewrites", 0, load(l -> l.work().rewrites()));
  static final Column MOVES = new Column("moves", 0, load(l -> l.work().moves()));
  static final Column ROWS_WRONG = new Column("rows wrong", 0, run -> run.rowsWrong());

  /** What strategies are compared by; lower is better in each. */
  static final List<Column> COSTS =
      List.of(
          WRITE_AMPLIFICATION,
          HIT,
          MISS,
          SCAN,
          MEAN_SPACE,
          PEAK_SPACE,
          MAJOR_MB,
          MAJOR_PERCENT,
          STALLS,
          STALL_MILLIS,
          P50,
          P99);

  /** What happened below; neither good nor bad by itself. */
  static final List<Column> FACTS =
      List.of(FLUSHES, REWRITES, MOVES, MEAN_RUNS, MAX_RUNS, MAJOR_SECONDS, ROWS_WRONG);

  private static ToDoubleFunction<RunResult> load(ToDoubleFunction<Figures.Load> figure) {
    return run -> run.load() == null ? Double.NaN : figure.applyAsDouble(run.load());
  }

  private static ToDoubleFunction<RunResult> reads(ToDoubleFunction<Figures.Reads> figure) {
    return run -> run.reads() == null ? Double.NaN : figure.applyAsDouble(run.reads());
  }

  private static ToDoubleFunction<RunResult> major(ToDoubleFunction<Figures.Major> figure) {
    return run -> run.major() == null ? Double.NaN : figure.applyAsDouble(run.major());
  }
}
