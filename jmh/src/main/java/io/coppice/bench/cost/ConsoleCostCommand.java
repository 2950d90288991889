// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import io.coppice.bench.report.FigureTable;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/**
 * The command {@code console-cost}: measures the cost of the console's requests in a process with
 * many tables.
 */
@Command(name = "console-cost", sortOptions = false)
public final class ConsoleCostCommand extends BenchmarkCommand {

  private static final int MAX_TABLES = 20_000;
  private static final int MAX_TIMES = 10_000;

  /**
   * A row of the result table: one bean operation in one process.
   *
   * @param process name of the process
   */
  record Row(String process, BeanCallCost cost) {}

  @Override
  protected int run(OptionReader reader) throws Exception {
    int tables = (int) reader.number("tables", 0, 1, MAX_TABLES);
    int times = (int) reader.number("times", 0, 1, MAX_TIMES);
    List<String> hosts = reader.listOf("hosts", "store", "cassandra");
    Optional<Path> javaHome = reader.path("java-home");
    reader.check();
    FigureTable table = table(Row.class, reader);
    for (String host : hosts) {
      try (BeanTarget watched =
          host.equals("store")
              ? StoreBeanTarget.with(tables, directory().resolve("store"))
              : NodeBeanTarget.with(tables, directory(), javaHome)) {
        for (String operation : List.of("snapshot", "tableMap")) {
          table.add(
              new Row(
                  watched.name(),
                  BeanCallCost.at(watched.beans(), watched.bean(), operation, times, times)));
        }
      }
    }
    return end(
        table,
        "processor: of the store's process both sides of the call, of Cassandra's the node's");
  }
}
