// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Tables of one row, as commands print them. */
public final class FigureTables {

  private FigureTables() {}

  /** Returns the row of the document that a command prints. */
  public static JsonNode json(String command, Record row) throws IOException {
    JsonNode document = new ObjectMapper().readTree(printed(command, row, true));
    return document.get("rows").get(0);
  }

  /** Returns the titles and the line of the row. */
  public static List<String> lines(String command, Record row) {
    return printed(command, row, false).lines().skip(3).limit(2).toList();
  }

  static String printed(String command, Record row, boolean asJson) {
    StringWriter out = new StringWriter();
    FigureTable table =
        new FigureTable(
            command, row.getClass(), "again", new PrintWriter(out), asJson, List.of("a fact"));
    table.add(row);
    table.end("a note");
    return out.toString();
  }
}
