// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import io.coppice.bench.report.FigureTable;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.OptionReader;
import io.coppice.bench.suite.RunFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;

/** The command {@code overhead}: measures what counters, tuner and beans cost a store. */
@Command(name = "overhead", sortOptions = false)
public final class OverheadCommand extends BenchmarkCommand {

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=4g");
  private static final int MIN_PAIRS = 10;
  private static final int MAX_PAIRS = 1000;
  private static final int MIN_KEYS = 1000;

  private final List<Costs> on = new ArrayList<>();
  private final List<Costs> off = new ArrayList<>();

  /**
   * A row of the result table.
   *
   * @param pairs costs of both stores in each turn; the note has the allowed ratio
   */
  record Row(SuiteRow pairs) {
    double more() {
      return pairs.ours().median() - pairs.peer().median();
    }
  }

  @Override
  protected int run(OptionReader reader) throws Exception {
    int pairs = (int) reader.number("pairs", 0, MIN_PAIRS, MAX_PAIRS);
    int keys = (int) reader.number("num", 0, MIN_KEYS, Integer.MAX_VALUE);
    long seed = reader.seed();
    reader.check();
    FigureTable table =
        table(Row.class, reader, pairs + " pairs of " + keys + " writes and reads, seed " + seed);
    ChildTask task = new OverheadProcess.Task(directory(), keys, pairs, seed);
    Map<String, ChildJava.Lines> heard =
        Map.of(
            OverheadProcess.ON, line -> on.add(RecordJson.parse(line, Costs.class)),
            OverheadProcess.OFF, line -> off.add(RecordJson.parse(line, Costs.class)));
    process("overhead", progress -> new ChildJava(directory(), FLAGS, task).run(progress, heard))
        .check("overhead");
    if (on.size() != pairs || off.size() != pairs) {
      throw new RunFailedException(
          "expected %d pairs, got %d on and %d off".formatted(pairs, on.size(), off.size()), false);
    }
    table.add(row("analyser_cpu_fill", "ns", "on/off 1.01", Costs::fillNanos));
    table.add(row("analyser_cpu_read", "ns", "on/off 1.02", Costs::readNanos));
    table.add(row("analyser_bytes_per_fill", "B", "0 more", Costs::fillBytes));
    table.add(row("analyser_bytes_per_read", "B", "0 more", Costs::readBytes));
    return end(table, "low and high: 95 % confidence interval of the median of on/off");
  }

  private Row row(String id, String unit, String bar, ToDoubleFunction<Costs> cost) {
    double[] ours = on.stream().mapToDouble(cost).toArray();
    double[] theirs = off.stream().mapToDouble(cost).toArray();
    return new Row(SuiteRow.moreIsBetter(id, unit, ours, theirs, SuiteRow.NO_GOAL, bar));
  }
}
