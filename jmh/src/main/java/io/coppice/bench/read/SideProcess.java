// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.store.ProcessFigures;
import io.coppice.bench.store.ReadSession;
import io.coppice.bench.store.TestedStore;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Process that reads one store opened in one way. If all data fit the memory of the machine, it
 * scans the store before the first measurement. In a group with room for all data, it reads the
 * files first.
 */
record SideProcess(ReadOptions options, Path data, ReadSide side, int round, List<ReadCell> cells)
    implements ChildTask {

  /** Number of warm-ups of each measurement in a memory group, after which the code is compiled. */
  private static final double COMPILING = 3;

  /** Expected seconds until a store is open and its data are in memory. */
  private static final double OPEN_SECONDS = 2;

  ReadCell.Memory memory() {
    return cells.get(0).memory();
  }

  /** Returns the name that the progress shows. */
  String name() {
    String size = memory() == ReadCell.Memory.FITS ? "its size" : "a fourth";
    String where = memory().limited() ? " in memory of " + size : "";
    return side.label() + where + " round " + round;
  }

  /** Returns the seconds that the process works on its cells. */
  double seconds() {
    double warmUps = side.dataset().grouped() ? 1 + COMPILING : 1;
    double each = options.seconds() + warmUps * options.scale().warmUpSeconds();
    return OPEN_SECONDS + cells.size() * each;
  }

  @Override
  public void run(ParentLines parent) throws Exception {
    double warmUp = options.scale().warmUpSeconds();
    Dataset dataset = side.dataset();
    Path directory = dataset.directory(data);
    int keys = dataset.keys(options.scale());
    Values values = new Values(dataset.valueBytes(), options.seed());
    try (TestedStore store = side.open(directory, options.scale());
        Clients clients = new Clients(keys, values, options.seed() + ((long) round << 32))) {
      final double all = seconds();
      double done = 0;
      String name = dataset.grouped() ? side.name().toLowerCase(Locale.ROOT) : side.label();
      parent.say("store", name + " " + store.describe());
      if (!dataset.grouped()) {
        readAll(store, keys);
      } else if (memory() == ReadCell.Memory.FITS) {
        TablePageCache.load(directory);
      }
      for (ReadCell cell : dataset.grouped() ? cells : List.<ReadCell>of()) {
        // The compiler takes processor time from the first operations of a process.
        parent.at("warm-up", done / all);
        run(store, clients, cell, COMPILING * warmUp);
        done += COMPILING * warmUp;
      }
      for (ReadCell cell : cells) {
        parent.at(cell.id(), done / all);
        run(store, clients, cell, warmUp);
        done += warmUp + options.seconds();
        long before = ProcessFigures.deviceReadBytes();
        Clients.Taken taken = run(store, clients, cell, options.seconds());
        double device = (double) (ProcessFigures.deviceReadBytes() - before) / taken.operations();
        parent.say(
            "sample",
            text(
                "%s %s %s %s=%.1f",
                cell.id(), side.label(), taken.text(), ReadRows.DEVICE, device));
      }
    }
  }

  private static Clients.Taken run(
      TestedStore store, Clients clients, ReadCell cell, double seconds)
      throws InterruptedException {
    return clients.run(store, cell.operation(), cell.clients(), Clients.Until.seconds(seconds));
  }

  private static void readAll(TestedStore store, int keys) throws IOException {
    try (ReadSession.Scan scan = store.own().scan()) {
      scan.first();
      for (int i = 0; i < keys; i++) {
        if (!scan.valid() || scan.index() != i) {
          throw new WrongAnswerException("a scan does not find key " + i);
        }
        scan.next();
      }
    }
  }
}
