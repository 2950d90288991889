// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import io.coppice.testing.GeneratedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** {@code docs/reference/virtual-tables.md}, made from the schema that a node tells. */
public final class VirtualTablesPage {

  private static final Path PAGE = Path.of("..", "docs", "reference", "virtual-tables.md");

  private VirtualTablesPage() {}

  public static void check(CqlSession client) throws IOException {
    List<Row> columns =
        new ArrayList<>(
            client
                .execute(
                    "SELECT table_name, column_name, kind, position, clustering_order, type"
                        + " FROM system_virtual_schema.columns WHERE keyspace_name = 'coppice'")
                .all());
    assertThat(columns).isNotEmpty();
    columns.sort(
        Comparator.comparing((Row row) -> row.getString("table_name"))
            .thenComparing(
                row ->
                    List.of("partition_key", "clustering", "regular")
                        .indexOf(row.getString("kind")))
            .thenComparing(row -> row.getInt("position"))
            .thenComparing(row -> row.getString("column_name")));
    GeneratedPage page = GeneratedPage.of(PAGE);
    for (String table : List.of("amplification", "decisions", "levels", "runs")) {
      List<String> rows = new ArrayList<>(List.of("| column | type | key |", "|---|---|---|"));
      columns.stream()
          .filter(row -> row.getString("table_name").equals(table))
          .forEach(row -> rows.add(row(row)));
      page.part(table, rows);
    }
    assertThat(columns.stream().map(row -> row.getString("table_name")).distinct()).hasSize(4);
    page.check();
  }

  private static String row(Row row) {
    String key =
        switch (row.getString("kind")) {
          case "partition_key" -> "partition";
          case "clustering" -> "clustering, " + row.getString("clustering_order");
          default -> "";
        };
    return GeneratedPage.row("`" + row.getString("column_name") + "`", row.getString("type"), key);
  }
}
