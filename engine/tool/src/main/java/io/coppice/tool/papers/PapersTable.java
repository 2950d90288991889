// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.papers;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.tool.format.JsonLines;
import io.coppice.tool.simulate.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * One table of the papers page: scenarios as rows, results as columns, and the claims of the paper
 * or prototype beside each row.
 *
 * @param name the name of its marker on the page
 * @param quick whether its simulations take about a second
 * @param columns the columns of results
 * @param claims the headings of the claim columns, which come last
 * @param rows the rows in order
 */
record PapersTable(
    String name, boolean quick, List<Column> columns, List<String> claims, List<Row> rows) {

  private static final int PERCENT = 100;

  /**
   * One row of the table.
   *
   * @param label the text of the first cell
   * @param scenario the scenario to simulate
   * @param base the scenario whose report the columns compare with
   * @param claims one claim per claim column
   */
  record Row(String label, Scenario scenario, Scenario base, List<String> claims) {}

  /** A column with a metric of a report, some of them relative to the report of the base. */
  record Column(String head, BiFunction<SimulationReport, SimulationReport, String> figure) {

    /** Write amplification: bytes flushed and merged, divided by bytes written. */
    static final Column WA = new Column("WA", (run, base) -> number(2, run.wa()));

    /** Write amplification, divided by that of the base. */
    static final Column WA_RATIO =
        new Column("of the first", (run, base) -> number(2, run.wa() / base.wa()));

    /** Bytes that merges read less than those of the base, in percent of the base. */
    static final Column READ_SAVED =
        new Column(
            "merge reads saved",
            (run, base) -> saved(run, base, SimulationReport.Cause::readBytes));

    /** Bytes that merges write less than those of the base, in percent of the base. */
    static final Column WRITE_SAVED =
        new Column(
            "merge writes saved",
            (run, base) -> saved(run, base, SimulationReport.Cause::writtenBytes));

    /** Bytes that merges read and write less than those of the base, in percent of the base. */
    static final Column IO_SAVED =
        new Column(
            "merge I/O saved",
            (run, base) -> saved(run, base, cause -> cause.readBytes() + cause.writtenBytes()));

    /** Runs that overlap a key, in the second half of the simulation. */
    static final Column RUNS =
        new Column(
            "runs over a key: mean, most",
            (run, base) -> number(1, run.raMean()) + ", " + number(0, run.raMax()));

    /** Peak space amplification, including running merges. */
    static final Column SPACE_PEAK = new Column("peak SA", (run, base) -> number(2, run.saPeak()));

    /** Space amplification in the steady state. */
    static final Column SPACE = new Column("SA", (run, base) -> number(2, run.saSteady()));

    /** Peak transient space of a plan, as a percentage of the live bytes. */
    static final Column TRANSIENT =
        new Column(
            "transient, of live bytes",
            (run, base) -> number(2, PERCENT * run.transientPeak()) + " %");

    /** Bytes moved by metadata alone for each byte written. */
    static final Column MOVED =
        new Column(
            "bytes moved a byte written",
            (run, base) ->
                number(2, sum(run, SimulationReport.Cause::movedBytes) / run.userBytes()));

    private static String saved(
        SimulationReport run, SimulationReport base, ToLongFunction<SimulationReport.Cause> bytes) {
      return number(1, PERCENT * (1 - sum(run, bytes) / sum(base, bytes))) + " %";
    }

    private static double sum(SimulationReport run, ToLongFunction<SimulationReport.Cause> bytes) {
      return run.causes().stream().mapToLong(bytes).sum();
    }

    private static String number(int places, double number) {
      return Double.isFinite(number)
          ? String.format(Locale.ROOT, "%." + places + "f", number)
          : "–";
    }
  }

  /** Returns all scenarios of the table, in the order of the rows, the base before its row. */
  Set<Scenario> scenarios() {
    Set<Scenario> all = new LinkedHashSet<>();
    for (Row row : rows) {
      all.add(row.base());
      all.add(row.scenario());
    }
    return all;
  }

  /**
   * Returns the table as Markdown, each line ending with a line break.
   *
   * @param found reports by scenario, at least of {@link #scenarios}
   */
  String markdown(Map<Scenario, SimulationReport> found) {
    List<String> head = new ArrayList<>(List.of("policy"));
    columns.forEach(column -> head.add(column.head()));
    head.addAll(claims);
    StringBuilder text = new StringBuilder(line(head));
    text.append("|").append("---|".repeat(head.size())).append("\n");
    for (Row row : rows) {
      List<String> cells = new ArrayList<>(List.of(row.label()));
      SimulationReport run = found.get(row.scenario());
      SimulationReport base = found.get(row.base());
      columns.forEach(
          column ->
              cells.add(
                  row.scenario().equals(row.base()) && column.head().contains("saved")
                      ? "–"
                      : column.figure().apply(run, base)));
      cells.addAll(row.claims());
      text.append(line(cells));
    }
    return text.toString();
  }

  /**
   * Returns the table as JSON: for each row the figures of {@code simulate}, and the claims.
   *
   * @param found reports by scenario, at least of {@link #scenarios}
   */
  ObjectNode json(Map<Scenario, SimulationReport> found) {
    ObjectNode table = JsonLines.object().put("name", name);
    ArrayNode all = table.putArray("rows");
    for (Row row : rows) {
      ObjectNode node = all.addObject();
      JsonText.figures(node, row.label(), found.get(row.scenario()));
      ObjectNode claimed = node.putObject("claims");
      for (int i = 0; i < claims.size(); i++) {
        claimed.put(claims.get(i), row.claims().get(i));
      }
    }
    return table;
  }

  private static String line(List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
