// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import static io.coppice.bench.report.Texts.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.workload.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of one run of a suite, as a table and as a file. The files of all suites have the same
 * fields: {@code suite}, {@code command}, {@code commit}, {@code machine}, {@code facts}, {@code
 * rounds}, {@code rows}. Published names are never renamed. A value.
 *
 * @param suite name of the suite and of the file
 * @param command command line that repeats the run
 * @param facts facts about the run, one sentence each: data, memory, versions
 */
public record SuiteReport(
    String suite,
    String command,
    Machine machine,
    List<String> facts,
    int rounds,
    List<SuiteRow> rows) {

  /** Figure below which the table shows decimals. */
  private static final double SMALL = 100;

  public SuiteReport {
    facts = List.copyOf(facts);
    rows = List.copyOf(rows);
  }

  /** Returns the rows that miss their goal. */
  public List<SuiteRow> missed() {
    return rows.stream().filter(row -> row.hasGoal() && !row.met()).toList();
  }

  /** Returns the lines of facts, machine and table, then the number of goals met. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>(facts);
    lines.add(machine.line());
    lines.add("");
    lines.addAll(rowLines());
    return lines;
  }

  /** Returns the lines of the table, then the number of goals met. */
  public List<String> rowLines() {
    List<String> lines = new ArrayList<>(table());
    long goals = rows.stream().filter(SuiteRow::hasGoal).count();
    lines.add("");
    lines.add("%d of %d goals met".formatted(goals - missed().size(), goals));
    return lines;
  }

  private List<String> table() {
    List<List<String>> cells = new ArrayList<>();
    cells.add(List.of("row", "ours", "peer", "unit", "ratio", "range", "goal", "", "note"));
    for (SuiteRow row : rows) {
      cells.add(
          List.of(
              row.id(),
              figure(row.ours().median()),
              figure(row.peer().median()),
              row.unit(),
              ratio(row.ratio().median()),
              ratio(row.ratio().low()) + ".." + ratio(row.ratio().high()),
              row.hasGoal() ? text("%.2f", row.goal()) : "",
              row.verdict(),
              row.note()));
    }
    return TextTable.lines(cells, "lrrlrrrl");
  }

  private static String figure(double figure) {
    return TextTable.number(Math.abs(figure) < SMALL ? "%,.3f" : "%,.0f", figure);
  }

  private static String ratio(double ratio) {
    return TextTable.number("%.2f", ratio);
  }

  /** Returns the file's text. */
  public String json() {
    ObjectNode root = ReportJson.of(suite, command, machine, facts);
    root.put("rounds", rounds);
    var array = root.putArray("rows");
    for (SuiteRow row : rows) {
      ReportJson.fill(
          array.addObject(),
          row,
          "id ours=ours.median peer=peer.median ratio=ratio.median goal met=judgement unit"
              + " range=ratio.range spread=ratio.share verdict note");
    }
    return RecordJson.file(root);
  }

  /**
   * Writes the file, and prints the report, the command that repeats the run, and the file's path.
   *
   * @throws IOException if the file cannot be written; the report is printed before
   */
  public void print(PrintWriter out, Path directory) throws IOException {
    lines().forEach(out::println);
    out.println();
    out.println(command);
    out.println("report: " + write(directory));
    out.flush();
  }

  /**
   * Writes the file atomically and returns its path.
   *
   * @param directory created if it is missing
   * @throws IOException if the file cannot be written; an earlier file stays
   */
  public Path write(Path directory) throws IOException {
    return WholeFile.write(directory, suite + ".json", json());
  }
}
