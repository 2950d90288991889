// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.engine.TestedStore;
import io.coppice.bench.suite.ParentLines;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Process that reads one side, in a memory group if there is one. */
public final class GroupedProcess {

  private static final Path IO = Path.of("/proc/self/io");

  /** Times the warm-up of a cell. */
  private static final double COMPILING = 3;

  private static final String READ_BYTES = "read_bytes: ";

  private GroupedProcess() {}

  /** Runs a {@link ReadTask}, the only argument. */
  public static void main(String[] args) throws Exception {
    ReadTask.main(args, GroupedProcess::measure);
  }

  private static void measure(ReadTask task, ParentLines parent) throws Exception {
    GroupedSide side = GroupedSide.valueOf(task.subject());
    List<GroupedCell> cells = task.cells(GroupedCell::named);
    ReadOptions options = task.options();
    Dataset dataset = side.dataset();
    Path directory = dataset.directory(task.data());
    int keys = dataset.keys(options.scale());
    Values values = new Values(dataset.valueBytes(), options.seed());
    try (TestedStore store = side.open(directory, options.scale());
        Clients clients = new Clients(keys, values, task.seed())) {
      parent.say("store", "grouped_" + side.label() + " " + store.describe());
      if (cells.get(0).fits()) {
        TablePageCache.load(directory);
      }
      for (GroupedCell cell : cells) {
        // The compiler takes processor time from the first operations of a process.
        parent.at("warm-up", 0);
        run(store, clients, cell, COMPILING * options.scale().warmUpSeconds());
      }
      for (GroupedCell cell : cells) {
        parent.at(cell.id(), 0);
        run(store, clients, cell, options.scale().warmUpSeconds());
        long before = deviceBytes();
        Taken taken = run(store, clients, cell, options.seconds());
        double device = (double) (deviceBytes() - before) / taken.operations();
        parent.say(
            "sample",
            String.format(
                Locale.ROOT,
                "%s %s %s %s=%.1f",
                cell.id(),
                side.label(),
                taken.text(),
                ReadRows.DEVICE,
                device));
      }
    }
  }

  private static Taken run(TestedStore store, Clients clients, GroupedCell cell, double seconds)
      throws InterruptedException {
    return clients.run(store, cell.operation(), cell.clients(), Clients.Until.seconds(seconds));
  }

  /** Returns what devices have read for this process, page faults included; 0 if unknown. */
  private static long deviceBytes() throws IOException {
    if (!Files.isReadable(IO)) {
      return 0;
    }
    return Files.readAllLines(IO).stream()
        .filter(line -> line.startsWith(READ_BYTES))
        .mapToLong(line -> Long.parseLong(line.substring(READ_BYTES.length())))
        .sum();
  }
}
