// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.suite.SuiteRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * What is claimed of our strategies, a row each: ours beside a peer of the same comparison, or
 * beside a bound. Goals stand before the run; where a run cannot be judged there is none.
 */
final class Claims {

  /** Merges of a kind that must have happened before {@code delayed} is judged. */
  private static final double LEAST_MERGES = 10;

  /** Extra disk of a major compaction, percent of live data. */
  private static final double MOST_EXTRA = 5;

  /** From so much live data on, the extra disk of a major compaction is judged. */
  private static final long JUDGED_MAJOR_BYTES = 1_500_000_000L;

  /** Fewer reads during a major compaction say nothing about the slowest hundredth. */
  private static final long JUDGED_READS = 1_000;

  /** A major compaction that is over sooner says nothing about speed. */
  private static final double JUDGED_MAJOR_SECONDS = 1;

  private static final String FOREST = "split-forest";
  private static final String FOREST_8 = "split-forest-8";
  private static final String DELAYED = "delayed";
  private static final String LAZY = "lazy-binomial";
  private static final String GROUPED = "grouped";
  private static final String LCS = "lcs";
  private static final String STCS = "stcs";
  private static final String UCS_4 = "ucs-t4";
  private static final String UCS_8 = "ucs-t8";

  private static final Column REWRITTEN =
      new Column("rewritten MB", 1, run -> window(run).rewritten() / 1e6);

  private final List<RunResult> runs;
  private final List<SuiteRow> rows = new ArrayList<>();

  private Claims(List<RunResult> runs) {
    this.runs = runs.stream().sorted(Comparator.comparingInt(RunResult::repeat)).toList();
  }

  /** All rows, in a fixed order; those whose strategies did not run say so. */
  static List<SuiteRow> rows(List<RunResult> runs) {
    Claims claims = new Claims(runs);
    if (!runs.stream().allMatch(RunResult::majorOnly)) {
      claims.forests();
      claims.delayed();
      claims.others();
    }
    claims.majors();
    claims.readsDuringMajors();
    return claims.rows;
  }

  private void forests() {
    writes("forest4_wa_over_ucs_t4", FOREST, UCS_4, 1.05);
    writes("forest8_wa_over_ucs_t8", FOREST_8, UCS_8, 1.05);
    writes("forest8_wa_over_ucs_t4", FOREST_8, UCS_4, 0.80);
    writes("forest8_wa_over_lcs", FOREST_8, LCS, 0.40);
    for (String[] pair :
        new String[][] {
          {"forest4", FOREST, UCS_4}, {"forest8", FOREST_8, UCS_8}, {"forest8", FOREST_8, LCS}
        }) {
      String over = "_over_" + pair[2].replace('-', '_');
      String runsOver = pair[0] + "_runs_per_token" + over;
      String spaceOver = pair[0] + "_peak_space" + over;
      compare(runsOver, "runs", pair[1], pair[2], Column.MEAN_RUNS, SuiteRow.NO_GOAL, "");
      compare(spaceOver, "x live", pair[1], pair[2], Column.PEAK_SPACE, SuiteRow.NO_GOAL, "");
    }
  }

  private void delayed() {
    compare(
        "delayed_compaction_bytes_over_lcs",
        "MB",
        DELAYED,
        LCS,
        REWRITTEN,
        atMost(0.55),
        "aim 2.86 (0.35x); " + merges());
    compare(
        "delayed_sstables_per_hit_over_lcs",
        "SSTables",
        DELAYED,
        LCS,
        Column.HIT,
        atMost(1.3),
        merges());
    compare(
        "delayed_mean_space_over_lcs",
        "x live",
        DELAYED,
        LCS,
        Column.MEAN_SPACE,
        atMost(1.4),
        merges());
    bound("delayed_candidates_p99", "SSTables", DELAYED, Column.CANDIDATES, Contender.VCT, 1, "");
    happened("delayed_merges_by_vct", Column.DESCENTS);
    happened("delayed_merges_by_vsmt", Column.READ_MERGES);
  }

  private void others() {
    compare(
        "lazy_binomial_wa_over_lcs",
        "WA",
        LAZY,
        LCS,
        Column.WRITE_AMPLIFICATION,
        atMost(0.6),
        "aim 2.00 (0.5x)");
    compare(
        "lazy_binomial_mean_space_over_lcs",
        "x live",
        LAZY,
        LCS,
        Column.MEAN_SPACE,
        atMost(1.15),
        "");
    writes("grouped_wa_over_ucs_t4", GROUPED, UCS_4, Double.NaN);
    writes("grouped_wa_over_lcs", GROUPED, LCS, Double.NaN);
  }

  private void majors() {
    for (String id : List.of(FOREST, FOREST_8, GROUPED, LAZY, DELAYED)) {
      double goal = isLarge(id) ? 1 : SuiteRow.NO_GOAL;
      String note = isLarge(id) ? "" : "judged from 1.5 GB of live data on";
      String row = "major_extra_percent_" + id.replace('-', '_');
      bound(row, "% of live", id, Column.MAJOR_PERCENT_OF_LIVE, MOST_EXTRA, goal, note);
    }
    for (String peer : List.of(STCS, LCS, UCS_4)) {
      String row = "major_extra_forest4_over_" + peer.replace('-', '_');
      compare(row, "% of live", FOREST, peer, Column.MAJOR_PERCENT_OF_LIVE, Double.NaN, "");
    }
    add(
        "major_speed_forest4_over_stcs",
        List.of(FOREST, STCS),
        id ->
            SuiteRow.moreIsBetter(
                id,
                "MB/s",
                figures(FOREST, Column.MAJOR_SPEED),
                figures(STCS, Column.MAJOR_SPEED),
                isLong(STCS) ? 0.7 : SuiteRow.NO_GOAL,
                isLong(STCS) ? "aim 0.90" : "judged from one second of the peer's on"));
  }

  /** Reads at a fixed rate meanwhile, against those during the same-size compaction of STCS. */
  private void readsDuringMajors() {
    for (String id : List.of(FOREST, FOREST_8, GROUPED, LAZY, DELAYED)) {
      String ours = id.equals(FOREST) ? "" : id.replace('-', '_') + "_";
      add(
          "read_p99_during_major_" + ours + "over_stcs",
          List.of(id, STCS),
          row -> {
            boolean judged = isReadOften(id) && isReadOften(STCS);
            return SuiteRow.lessIsBetter(
                row,
                "us",
                figures(id, Column.MAJOR_P99),
                figures(STCS, Column.MAJOR_P99),
                judged ? atMost(1.2) : SuiteRow.NO_GOAL,
                judged ? "" : "judged from %d reads in each on".formatted(JUDGED_READS));
          });
    }
  }

  private static double atMost(double share) {
    return 1 / share;
  }

  private void writes(String id, String ours, String peer, double share) {
    String beside =
        beside(ours, peer, "runs over a token", Column.MEAN_RUNS)
            + beside(ours, peer, ", peak space", Column.PEAK_SPACE);
    compare(id, "WA", ours, peer, Column.WRITE_AMPLIFICATION, atMost(share), beside);
  }

  private String beside(String ours, String peer, String what, Column column) {
    if (missing(List.of(ours, peer)) != null) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "%s %.2f : %.2f",
        what,
        Spread.of(of(ours), column.figure()).median(),
        Spread.of(of(peer), column.figure()).median());
  }

  /** What the rows of {@code delayed} rest on. */
  private String merges() {
    if (missing(List.of(DELAYED)) != null) {
      return "";
    }
    double byVct = least(Column.DESCENTS);
    double byReads = least(Column.READ_MERGES);
    String few = Math.min(byVct, byReads) < LEAST_MERGES ? ", too few" : "";
    return String.format(Locale.ROOT, "%.0f merges by vct, %.0f by vsmt%s", byVct, byReads, few);
  }

  private double least(Column column) {
    return Arrays.stream(figures(DELAYED, column)).min().orElse(0);
  }

  private void happened(String id, Column column) {
    add(
        id,
        List.of(DELAYED),
        row -> {
          double[] ours = figures(DELAYED, column);
          return SuiteRow.moreIsBetter(row, "merges", ours, same(ours, LEAST_MERGES), 1, "");
        });
  }

  private void bound(
      String id, String unit, String ours, Column column, double bound, double goal, String note) {
    add(
        id,
        List.of(ours),
        row -> {
          double[] figures = figures(ours, column);
          return SuiteRow.lessIsBetter(
              row, unit, figures, same(figures, bound), judged(ours, goal), note(ours, note));
        });
  }

  private void compare(
      String id, String unit, String ours, String peer, Column column, double goal, String note) {
    add(
        id,
        List.of(ours, peer),
        row ->
            SuiteRow.lessIsBetter(
                row,
                unit,
                figures(ours, column),
                figures(peer, column),
                judged(ours, goal),
                note(ours, note)));
  }

  private void add(String id, List<String> strategies, Function<String, SuiteRow> row) {
    String reason = missing(strategies);
    rows.add(reason == null ? row.apply(id) : SuiteRow.notMeasured(id, reason));
  }

  private static double[] same(double[] figures, double value) {
    double[] same = figures.clone();
    Arrays.fill(same, value);
    return same;
  }

  private double judged(String id, double goal) {
    return tooFewFlushes(id) ? SuiteRow.NO_GOAL : goal;
  }

  private String note(String id, String note) {
    return tooFewFlushes(id)
        ? "not judged: under %d flushes in the window".formatted(Figures.Window.LEAST_FLUSHES)
        : note;
  }

  private boolean tooFewFlushes(String id) {
    return of(id).stream().anyMatch(run -> window(run).flushes() < Figures.Window.LEAST_FLUSHES);
  }

  private boolean isLarge(String id) {
    return of(id).stream()
        .allMatch(run -> run.major() != null && run.major().liveBytes() >= JUDGED_MAJOR_BYTES);
  }

  private boolean isReadOften(String id) {
    return of(id).stream().allMatch(run -> run.major().reads() >= JUDGED_READS);
  }

  private boolean isLong(String id) {
    return of(id).stream().allMatch(run -> run.major().seconds() >= JUDGED_MAJOR_SECONDS);
  }

  /** Why rows of these strategies cannot be filled, or null if they can. */
  private String missing(List<String> strategies) {
    for (String id : strategies) {
      if (of(id).isEmpty()) {
        return id + " did not run";
      }
      if (!of(id).stream().allMatch(Claims::isWhole)) {
        return "a run of " + id + " is not valid";
      }
    }
    return null;
  }

  /** Too small to judge is no fault of a run here: its rows have no goal. */
  private static boolean isWhole(RunResult run) {
    return run.isWhole()
        && Verdict.on(run).problems().stream()
            .allMatch(problem -> problem.kind() == Verdict.Kind.TOO_SMALL);
  }

  private List<RunResult> of(String id) {
    return runs.stream().filter(run -> run.contender().id().equals(id)).toList();
  }

  private double[] figures(String id, Column column) {
    return of(id).stream().mapToDouble(column.figure()).toArray();
  }

  private static Figures.Window window(RunResult run) {
    return run.load().window();
  }
}
