// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.FigureTable;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.OptionReader;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.workload.BenchmarkKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/**
 * The command {@code space}: measures the transient disk space of merges for several cleaning
 * thresholds.
 */
@Command(name = "space", sortOptions = false)
public final class SpaceCommand extends BenchmarkCommand {

  /** Flags of processes with a store of some gigabytes. */
  static final List<String> FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=8g");

  /**
   * A row of the result table: one cleaning threshold.
   *
   * @param baseRate merge rate of the last threshold, which the row's own rate is compared with
   */
  record Row(SpaceProcess.Task task, Space found, double baseRate) {
    String cleanAfter() {
      return task.cleaningThreshold() == 0 ? "never" : Integer.toString(task.cleaningThreshold());
    }

    double bound() {
      return found.bound() == 0 ? Double.NaN : found.bound();
    }

    double mergeRate() {
      return found.mergeRate() == 0 ? Double.NaN : found.mergeRate();
    }

    double mergeRatio() {
      return mergeRate() / baseRate;
    }
  }

  @Override
  protected int run(OptionReader reader) throws Exception {
    long dataBytes = reader.size("data", "", 1L << 20, 1L << 42);
    int valueBytes = (int) reader.number("value-size", 0, 16, 1 << 20);
    long entries = dataBytes / (BenchmarkKeys.BYTES + valueBytes);
    if (entries > Integer.MAX_VALUE) {
      reader.fault(
          "--data (%s) must be of at most %d keys", reader.text("data", ""), Integer.MAX_VALUE);
    }
    List<String> loads = reader.listOf("loads", SpaceProcess.PERMUTATION, "overwrite");
    List<SpaceProcess.Task> tasks = new ArrayList<>();
    for (String load : loads) {
      for (String threshold : reader.list("thresholds", "")) {
        tasks.add(
            new SpaceProcess.Task(
                directory(),
                load,
                (int) entries,
                valueBytes,
                reader.size("memtable-size", "", 1L << 20, 2L << 30),
                reader.text("policy", ""),
                reader.seed(),
                reader.whole("thresholds", threshold, 0, Integer.MAX_VALUE)));
      }
    }
    tasks.forEach(task -> reader.policy("policy or --thresholds", task.wholePolicy()));
    long rounds = reader.number("rounds", 0, 1, 99);
    reader.check();
    FigureTable table =
        table(
            Row.class,
            reader,
            text(
                "%,d keys of %d + %d B, %s, memtable %s, 1 merge slot, log unsynced, seed %d",
                entries,
                BenchmarkKeys.BYTES,
                valueBytes,
                reader.text("policy", ""),
                reader.text("memtable-size", ""),
                reader.seed()));
    for (int round = 0; round < rounds; round++) {
      for (String load : loads) {
        measure(tasks.stream().filter(task -> task.load().equals(load)).toList(), table);
      }
    }
    return end(
        table,
        "bound = (tables after which a merge cleans + runs in it) x table size, for each merge"
            + " slot; a memtable that is being flushed may add to the transient figure; merge"
            + " MB/s -: all was in one run already");
  }

  /**
   * Measures each threshold and adds one row for each. Merge rates are relative to that of the last
   * threshold.
   */
  private void measure(List<SpaceProcess.Task> tasks, FigureTable table)
      throws IOException, InterruptedException, RunFailedException {
    List<Space> row = new ArrayList<>();
    for (SpaceProcess.Task task : tasks) {
      String name = task.load() + ", clean after " + task.cleaningThreshold();
      ChildJava child = new ChildJava(directory(), FLAGS, task);
      row.add(process(name, progress -> child.result(Space.class, name, progress)));
    }
    double base = row.get(row.size() - 1).mergeRate();
    for (int i = 0; i < row.size(); i++) {
      table.add(new Row(tasks.get(i), row.get(i), base));
    }
  }
}
