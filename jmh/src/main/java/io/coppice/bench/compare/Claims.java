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
 * The claims about Coppice's strategies, one row each: one of them beside a peer of the same
 * comparison, or beside a bound. Goals stand before the run. A row whose runs hold less than its
 * {@link Need} has no goal and says why.
 */
final class Claims {

  /** Merges of a kind that must have happened before {@code delayed} is judged. */
  private static final double LEAST_MERGES = 10;

  /** Extra disk of a major compaction, percent of live data. */
  private static final double MOST_EXTRA = 5;

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
  private final List<SuiteRow> measured = new ArrayList<>();

  private Claims(List<RunResult> runs) {
    this.runs = runs.stream().sorted(Comparator.comparingInt(RunResult::repeat)).toList();
  }

  /** Fills all rows from the runs. */
  static Claims on(List<RunResult> runs) {
    Claims claims = new Claims(runs);
    if (!runs.stream().allMatch(RunResult::majorOnly)) {
      claims.forests();
      claims.delayed();
      claims.others();
    }
    claims.majors();
    claims.readsDuringMajors();
    return claims;
  }

  /** Returns all rows, in a fixed order; those whose strategies did not run say so. */
  List<SuiteRow> rows() {
    return List.copyOf(rows);
  }

  /** Returns the rows of strategies that ran, in the same order. */
  List<SuiteRow> measured() {
    return List.copyOf(measured);
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
      show(runsOver, "runs", pair[1], pair[2], Column.MEAN_RUNS);
      show(spaceOver, "x live", pair[1], pair[2], Column.PEAK_SPACE);
    }
  }

  private void delayed() {
    compare(
        "delayed_compaction_bytes_over_lcs",
        "MB",
        DELAYED,
        LCS,
        REWRITTEN,
        Need.LEVELS,
        atMost(0.55),
        "aim 2.86 (0.35x); " + merges());
    compare(
        "delayed_sstables_per_hit_over_lcs",
        "SSTables",
        DELAYED,
        LCS,
        Column.HIT,
        Need.LEVELS,
        atMost(1.3),
        merges());
    compare(
        "delayed_mean_space_over_lcs",
        "x live",
        DELAYED,
        LCS,
        Column.MEAN_SPACE,
        Need.LEVELS,
        atMost(1.4),
        merges());
    bound(
        "delayed_candidates_p99", "SSTables", DELAYED, Column.CANDIDATES, Need.LOAD, Contender.VCT);
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
        Need.LOAD,
        atMost(0.6),
        "aim 2.00 (0.5x)");
    compare(
        "lazy_binomial_mean_space_over_lcs",
        "x live",
        LAZY,
        LCS,
        Column.MEAN_SPACE,
        Need.LOAD,
        atMost(1.15),
        "");
    writes("grouped_wa_over_ucs_t4", GROUPED, UCS_4, SuiteRow.NO_GOAL);
    writes("grouped_wa_over_lcs", GROUPED, LCS, SuiteRow.NO_GOAL);
  }

  private void majors() {
    for (String id : List.of(FOREST, FOREST_8, GROUPED, LAZY, DELAYED)) {
      String row = "major_extra_percent_" + id.replace('-', '_');
      bound(row, "% of live", id, Column.MAJOR_PERCENT_OF_LIVE, Need.MAJOR, MOST_EXTRA);
    }
    for (String peer : List.of(STCS, LCS, UCS_4)) {
      String row = "major_extra_forest4_over_" + peer.replace('-', '_');
      show(row, "% of live", FOREST, peer, Column.MAJOR_PERCENT_OF_LIVE);
    }
    add(
        "major_speed_forest4_over_stcs",
        List.of(FOREST, STCS),
        Need.MAJOR,
        id ->
            SuiteRow.moreIsBetter(
                id,
                "MB/s",
                figures(FOREST, Column.MAJOR_SPEED),
                figures(STCS, Column.MAJOR_SPEED),
                0.7,
                "aim 0.90"));
  }

  /** Reads at a fixed rate meanwhile, against those during the same-size compaction of STCS. */
  private void readsDuringMajors() {
    for (String id : List.of(FOREST, FOREST_8, GROUPED, LAZY, DELAYED)) {
      String row = id.equals(FOREST) ? "" : id.replace('-', '_') + "_";
      compare(
          "read_p99_during_major_" + row + "over_stcs",
          "us",
          id,
          STCS,
          Column.MAJOR_P99,
          Need.MAJOR_READS,
          atMost(1.2),
          "");
    }
  }

  private static double atMost(double share) {
    return 1 / share;
  }

  private void writes(String id, String ours, String peer, double share) {
    String beside =
        beside(ours, peer, "runs over a token", Column.MEAN_RUNS)
            + beside(ours, peer, ", peak space", Column.PEAK_SPACE);
    compare(id, "WA", ours, peer, Column.WRITE_AMPLIFICATION, Need.LOAD, atMost(share), beside);
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
        Need.LEVELS,
        row -> {
          double[] ours = figures(DELAYED, column);
          return SuiteRow.moreIsBetter(row, "merges", ours, same(ours, LEAST_MERGES), 1, "");
        });
  }

  private void bound(String id, String unit, String ours, Column column, Need need, double bound) {
    add(
        id,
        List.of(ours),
        need,
        row -> {
          double[] figures = figures(ours, column);
          return SuiteRow.lessIsBetter(row, unit, figures, same(figures, bound), 1, "");
        });
  }

  /** A row without a goal, at any scale. */
  private void show(String id, String unit, String ours, String peer, Column column) {
    compare(id, unit, ours, peer, column, Need.LOAD, SuiteRow.NO_GOAL, "");
  }

  private void compare(
      String id,
      String unit,
      String ours,
      String peer,
      Column column,
      Need need,
      double goal,
      String note) {
    add(
        id,
        List.of(ours, peer),
        need,
        row ->
            SuiteRow.lessIsBetter(
                row, unit, figures(ours, column), figures(peer, column), goal, note));
  }

  private void add(
      String id, List<String> strategies, Need need, Function<String, SuiteRow> filled) {
    String reason = missing(strategies);
    if (reason != null) {
      rows.add(SuiteRow.notMeasured(id, reason));
    } else {
      SuiteRow row = filled.apply(id);
      List<RunResult> judged = strategies.stream().flatMap(one -> of(one).stream()).toList();
      rows.add(row.hasGoal() ? need.lack(judged).map(row::withoutGoal).orElse(row) : row);
    }
    if (strategies.stream().noneMatch(one -> of(one).isEmpty())) {
      measured.add(rows.get(rows.size() - 1));
    }
  }

  private static double[] same(double[] figures, double value) {
    double[] same = figures.clone();
    Arrays.fill(same, value);
    return same;
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
