// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.SuiteRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The rows of a comparison with their goals, made from a table and the runs. */
final class ComparisonRows {

  private record Spec(
      String id,
      String kind,
      String unit,
      String ours,
      String peer,
      String column,
      String need,
      double goal,
      String note) {

    boolean isOfMajors() {
      return id.contains("major");
    }

    List<String> strategies() {
      return Stream.of(ours, peer).filter(id -> !id.isEmpty()).toList();
    }
  }

  private static final List<Spec> SPECS = DataTable.rows(Spec.class, "rows.txt");

  /** Fewest merges of a kind that make its figures meaningful. */
  private static final double MIN_MERGES = 10;

  private static final String DELAYED = "delayed";

  private final List<RunResult> runs;
  private final List<SuiteRow> rows = new ArrayList<>();
  private final List<SuiteRow> measured = new ArrayList<>();

  private ComparisonRows(List<RunResult> runs) {
    this.runs = runs.stream().sorted(Comparator.comparingInt(RunResult::repeat)).toList();
  }

  /**
   * Returns the rows of a comparison with the given runs. If all runs only load and compact, the
   * result has only the rows about major compactions.
   */
  static ComparisonRows on(List<RunResult> runs) {
    ComparisonRows claims = new ComparisonRows(runs);
    boolean majors = runs.stream().allMatch(RunResult::majorOnly);
    SPECS.stream().filter(spec -> !majors || spec.isOfMajors()).forEach(claims::add);
    return claims;
  }

  /** Returns all rows, including those without figures in this comparison. */
  List<SuiteRow> rows() {
    return List.copyOf(rows);
  }

  /** Returns the rows of the strategies that ran. */
  List<SuiteRow> measured() {
    return List.copyOf(measured);
  }

  private void add(Spec spec) {
    List<String> strategies = spec.strategies();
    String reason = missing(strategies);
    if (reason != null) {
      rows.add(SuiteRow.notMeasured(spec.id, reason));
    } else {
      SuiteRow row = row(spec);
      List<RunResult> judged = strategies.stream().flatMap(one -> of(one).stream()).toList();
      Need need = Need.NAMED.get(spec.need);
      rows.add(row.hasGoal() ? need.lack(judged).map(row::withoutGoal).orElse(row) : row);
    }
    if (strategies.stream().noneMatch(one -> of(one).isEmpty())) {
      measured.add(rows.get(rows.size() - 1));
    }
  }

  private SuiteRow row(Spec spec) {
    Column column = Column.named(spec.column);
    double[] ours = figures(spec.ours, column);
    double[] peer = ours.clone();
    Arrays.fill(peer, spec.goal);
    if (!spec.peer.isEmpty()) {
      peer = figures(spec.peer, column);
    }
    return switch (spec.kind) {
      case "bound" -> SuiteRow.lessIsBetter(spec.id, spec.unit, ours, peer, 1, "");
      case "least" -> SuiteRow.moreIsBetter(spec.id, spec.unit, ours, peer, 1, "");
      case "more" -> SuiteRow.moreIsBetter(spec.id, spec.unit, ours, peer, spec.goal, spec.note);
      default -> SuiteRow.lessIsBetter(spec.id, spec.unit, ours, peer, spec.goal, note(spec));
    };
  }

  private String note(Spec spec) {
    return switch (spec.kind) {
      case "writes" ->
          beside(spec, "runs over a token", Column.named("mean_runs"))
              + beside(spec, ", peak space", Column.named("peak_space"));
      case "merges" -> (spec.note + " " + merges()).strip();
      default -> spec.note;
    };
  }

  private String beside(Spec spec, String what, Column column) {
    return text(
        "%s %.2f : %.2f",
        what, column.over(of(spec.ours)).median(), column.over(of(spec.peer)).median());
  }

  private String merges() {
    double byVct = least(Column.named("descents"));
    double byReads = least(Column.named("read_merges"));
    String few = Math.min(byVct, byReads) < MIN_MERGES ? ", too few" : "";
    return text("%.0f merges by vct, %.0f by vsmt%s", byVct, byReads, few);
  }

  private double least(Column column) {
    return Arrays.stream(figures(DELAYED, column)).min().orElse(0);
  }

  /**
   * Returns the reason why rows of these strategies have no figures; null if all their runs are
   * valid.
   */
  private String missing(List<String> strategies) {
    for (String id : strategies) {
      if (of(id).isEmpty()) {
        return id + " did not run";
      }
      if (!of(id).stream().allMatch(ComparisonRows::isWhole)) {
        return "a run of " + id + " is not valid";
      }
    }
    return null;
  }

  /**
   * Returns whether a run completed all its parts. A run too small to judge counts as complete; its
   * rows have no goal.
   */
  private static boolean isWhole(RunResult run) {
    return run.isWhole()
        && RunValidity.on(run).problems().stream()
            .allMatch(problem -> problem.kind() == RunValidity.Kind.TOO_SMALL);
  }

  private List<RunResult> of(String id) {
    return runs.stream().filter(run -> run.contender().id().equals(id)).toList();
  }

  private double[] figures(String id, Column column) {
    return of(id).stream().mapToDouble(column::figure).toArray();
  }
}
