// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.suite.RepeatSpread;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One figure of the report.
 *
 * @param title heads the column
 * @param decimals shown after the point
 * @param figure value for a run; not a number if the run ended before it
 */
record Column(String title, int decimals, ToDoubleFunction<RunResult> figure) {

  static final Column WRITE_AMPLIFICATION =
      new Column("WA", 2, load(l -> l.window().writeAmplification()));
  static final Column REWRITTEN =
      new Column("rewritten MB", 1, load(l -> l.window().rewritten() / 1e6));
  static final Column HIT = new Column("RA hit", 2, load(l -> l.window().hit()));
  static final Column HIT_AT_END = new Column("RA hit at end", 2, reads(Figures.Reads::hit));
  static final Column MISS = new Column("RA miss", 2, reads(Figures.Reads::miss));
  static final Column SCAN = new Column("scan 10", 2, reads(Figures.Reads::scan10));
  static final Column MEAN_RUNS = new Column("runs/token", 2, load(l -> l.window().meanRuns()));
  static final Column MAX_RUNS = new Column("max", 0, load(l -> l.window().maxRuns()));
  static final Column CANDIDATES = new Column("p99", 0, load(l -> l.window().candidates99()));
  static final Column MEAN_SPACE = new Column("SA mean", 2, load(l -> l.window().meanSpace()));
  static final Column PEAK_SPACE = new Column("SA peak", 2, load(Figures.Load::peakSpace));
  static final Column MAJOR_MB = new Column("major +MB", 1, major(m -> m.extraBytes() / 1e6));
  static final Column MAJOR_PERCENT = new Column("% before", 1, major(Figures.Major::extraPercent));
  static final Column MAJOR_PERCENT_OF_LIVE =
      new Column("% live", 1, major(Figures.Major::extraPercentOfLive));
  static final Column MAJOR_SECONDS = new Column("s", 1, major(Figures.Major::seconds));
  static final Column MAJOR_SPEED = new Column("MB/s", 1, major(Figures.Major::megabytesPerSecond));
  static final Column STALLS = new Column("stalls", 0, load(l -> l.stalls().count()));
  static final Column STALL_MILLIS = new Column("ms", 0, load(l -> l.stalls().millis()));
  static final Column P50 = new Column("p50 us", 0, reads(Figures.Reads::p50Micros));
  static final Column P99 = new Column("p99 us", 0, reads(Figures.Reads::p99Micros));
  static final Column MAJOR_READS = new Column("reads", 0, major(Figures.Major::reads));
  static final Column MAJOR_P99 =
      new Column("p99 us in major", 0, major(Figures.Major::readP99Micros));
  static final Column FLUSHES = new Column("flushes", 0, load(l -> l.work().flushes()));
  static final Column REWRITES = new Column("rewrites", 0, load(l -> l.work().rewrites()));
  static final Column MOVES = new Column("moves", 0, load(l -> l.work().moves()));
  static final Column DELAYS = new Column("delays", 0, decisions(Figures.Decisions::delays));
  static final Column DESCENTS =
      new Column("full level", 0, decisions(Figures.Decisions::descents));
  static final Column READ_MERGES =
      new Column("by reads", 0, decisions(Figures.Decisions::readMerges));
  static final Column ROWS_WRONG = new Column("rows wrong", 0, run -> run.rowsWrong());

  /** Columns that compare strategies; lower is better in each. */
  static final List<Column> COSTS =
      List.of(
          WRITE_AMPLIFICATION,
          HIT,
          SCAN,
          MEAN_RUNS,
          CANDIDATES,
          MAX_RUNS,
          MEAN_SPACE,
          PEAK_SPACE,
          MAJOR_MB,
          MAJOR_PERCENT_OF_LIVE,
          MAJOR_SECONDS);

  /** Columns with internal counts and with figures that mean little on a small machine. */
  static final List<Column> FACTS =
      List.of(
          FLUSHES,
          REWRITES,
          MOVES,
          DELAYS,
          DESCENTS,
          READ_MERGES,
          MISS,
          STALLS,
          STALL_MILLIS,
          P50,
          P99,
          MAJOR_P99,
          ROWS_WRONG);

  /** Returns the median and range over runs that have the figure; NaN if none has. */
  RepeatSpread over(List<RunResult> runs) {
    double[] figures =
        runs.stream().mapToDouble(figure).filter(value -> !Double.isNaN(value)).toArray();
    return figures.length == 0 ? RepeatSpread.NOTHING : RepeatSpread.of(figures);
  }

  /** Returns the constant of this name. */
  static Column named(String constant) {
    try {
      return (Column) Column.class.getDeclaredField(constant).get(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("no column is " + constant, e);
    }
  }

  private static ToDoubleFunction<RunResult> load(ToDoubleFunction<Figures.Load> figure) {
    return run -> run.load() == null ? Double.NaN : figure.applyAsDouble(run.load());
  }

  private static ToDoubleFunction<RunResult> decisions(ToDoubleFunction<Figures.Decisions> figure) {
    return run ->
        run.load() == null || run.load().decisions() == null
            ? Double.NaN
            : figure.applyAsDouble(run.load().decisions());
  }

  private static ToDoubleFunction<RunResult> reads(ToDoubleFunction<Figures.Reads> figure) {
    return run -> run.reads() == null ? Double.NaN : figure.applyAsDouble(run.reads());
  }

  private static ToDoubleFunction<RunResult> major(ToDoubleFunction<Figures.Major> figure) {
    return run -> run.major() == null ? Double.NaN : figure.applyAsDouble(run.major());
  }
}
