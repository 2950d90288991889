// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import io.coppice.bench.report.FigureTable;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.OptionReader;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.workload.BenchmarkKeys;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** The command {@code recovery}: measures how long a store takes to open after a crash. */
@Command(name = "recovery", sortOptions = false)
public final class RecoveryCommand extends BenchmarkCommand {

  /** Least bytes of a log that make its replay time meaningful. */
  private static final long MIN_LOG_BYTES = 1 << 20;

  /** A row of the result table: a store that was killed, and the cost to open it again. */
  record Row(RecoveryProcess.Task task, RecoveryProcess.Opened opened) {
    double secondsPerGigabyte() {
      return opened.logBytes() < MIN_LOG_BYTES
          ? Double.NaN
          : opened.seconds() * 1e9 / opened.logBytes();
    }
  }

  @Override
  protected int run(OptionReader reader) throws Exception {
    List<Long> logs = reader.sizes("logs", "", 1, 4L << 30);
    List<Long> tables = reader.sizes("tables", "", 0, 1L << 42);
    long memtable = reader.size("memtable-size", "1GiB", 1 << 20, 8L << 30);
    List<Long> valueSizes = reader.sizes("value-sizes", "", 16, 1 << 20);
    reader.check();
    FigureTable table = table(Row.class, reader);
    for (long valueBytes : valueSizes) {
      for (long log : logs) {
        for (long present : tables) {
          // A memtable holds an entry with some dozen bytes around it.
          long fitting = Math.max(1L << 20, log + log * 64 / (valueBytes + BenchmarkKeys.BYTES));
          RecoveryProcess.Task task =
              new RecoveryProcess.Task(
                  log,
                  (int) valueBytes,
                  present,
                  reader.has("memtable-size") ? memtable : fitting,
                  reader.text("policy", ""));
          table.add(new Row(task, measure(task)));
        }
      }
    }
    return end(table, "s/GB -: the log was flushed before the process was halted");
  }

  private RecoveryProcess.Opened measure(RecoveryProcess.Task task)
      throws IOException, InterruptedException, RunFailedException {
    String name = task.valueBytes() + " B, log " + (task.logBytes() >> 20) + " MiB";
    ChildTask writing = new RecoveryProcess.Writing(directory(), task);
    ChildTask opening = new RecoveryProcess.Opening(directory(), task);
    return process(
        name,
        progress -> {
          new ChildJava(directory(), SpaceCommand.FLAGS, writing)
              .result(String.class, name, progress);
          progress.begin(name + ", open");
          return new ChildJava(directory(), SpaceCommand.FLAGS, opening)
              .result(RecoveryProcess.Opened.class, name + ", open", progress);
        });
  }
}
