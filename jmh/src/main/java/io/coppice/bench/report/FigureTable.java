// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import static io.coppice.bench.report.Texts.text;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Result table of a command: a line of text per row as soon as the row is measured, or one JSON
 * document at the end. A resource beside the class of the rows defines the columns. Used by one
 * thread.
 */
public final class FigureTable {

  /**
   * One column of a table: a row of its resource.
   *
   * @param name key in the JSON document; never renamed once published
   * @param form format of a cell, with the width of the column
   * @param of path of the figure, for {@link Records#value}
   */
  private record Column(String name, String title, String form, String of) {

    private String cell(Record row) {
      Object value = Records.value(row, of);
      boolean absent = value instanceof Double figure && !Double.isFinite(figure);
      return absent ? padded("-") : text(form, value);
    }

    private String padded(String text) {
      return text(form.replaceAll("[.,].*|[ds]$", "") + "s", text);
    }
  }

  private final List<Column> columns;
  private final PrintWriter out;
  private final boolean asJson;
  private final ObjectNode root;
  private final ArrayNode rows;

  /**
   * Begins the table of a command.
   *
   * @param name name of the command; the file {@code name.txt} beside the type defines the columns
   * @param type record type of the rows
   * @param command command line that repeats the run
   * @param asJson whether to print one JSON document at the end, instead of text
   * @param facts facts about the run, one sentence each
   */
  public FigureTable(
      String name,
      Class<? extends Record> type,
      String command,
      PrintWriter out,
      boolean asJson,
      List<String> facts) {
    this.columns = DataTable.rows(Column.class, type, name + ".txt");
    this.out = out;
    this.asJson = asJson;
    this.root = ReportJson.of(name, command, Machine.now(), facts);
    this.rows = root.putArray("rows");
    if (!asJson) {
      facts.forEach(out::println);
      out.println(root.get("machine").asText());
      out.println();
      line(columns.stream().map(column -> column.padded(column.title)).toList());
    }
  }

  private void line(List<String> cells) {
    out.println(cells.stream().collect(Collectors.joining("  ")).stripTrailing());
    out.flush();
  }

  /** Adds a row, and prints it unless a document is wanted. */
  public void add(Record row) {
    ObjectNode node = rows.addObject();
    columns.forEach(each -> ReportJson.put(node, each.name, Records.value(row, each.of)));
    if (!asJson) {
      line(columns.stream().map(column -> column.cell(row)).toList());
    }
  }

  /**
   * Ends the table and adds notes to it.
   *
   * @param notes notes after the table, one sentence each
   */
  public void end(String... notes) {
    if (asJson) {
      List.of(notes).forEach(((ArrayNode) root.get("facts"))::add);
      out.print(RecordJson.file(root));
    } else {
      out.println();
      List.of(notes).forEach(out::println);
    }
    out.flush();
  }
}
