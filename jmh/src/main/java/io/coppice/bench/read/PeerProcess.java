// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.CoppiceStore;
import io.coppice.bench.engine.ReadSession;
import io.coppice.bench.engine.RocksStore;
import io.coppice.bench.engine.TestedStore;
import io.coppice.bench.suite.ParentLines;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Process that reads one store, Coppice or RocksDB, once with all its data in memory. It scans all
 * data before the first measurement.
 */
public final class PeerProcess {

  static final int FILTER_BITS = 10;

  /** Each store may hold twice its data, with its memtables. */
  private static final int MEMORY_OF_DATA = 2;

  private static final int MEMTABLES = 3;
  private static final long MIN_MEMORY = 128L << 20;

  private PeerProcess() {}

  /** Runs a {@link ReadTask}, the only argument. */
  public static void main(String[] args) throws Exception {
    ReadTask.main(args, PeerProcess::measure);
  }

  /** Opens a data set by itself, with its data in memory allowed. */
  static TestedStore open(Dataset dataset, Path directory, ReadScale scale) throws Exception {
    long memory =
        Math.max(MIN_MEMORY, MEMORY_OF_DATA * scale.hotBytes())
            + MEMTABLES * scale.hotMemtableBytes();
    BenchOptions same =
        BenchOptions.parse(
            Map.of(
                "value_size", Integer.toString(dataset.valueBytes()),
                "memtable_size", Long.toString(scale.hotMemtableBytes()),
                "memory", Long.toString(memory),
                "policy", dataset.policy(scale)),
            List.of());
    return dataset == Dataset.ROCKSDB
        ? new RocksStore(directory, same)
        : new CoppiceStore(directory, same);
  }

  private static void measure(ReadTask task, ParentLines parent) throws Exception {
    ReadOptions options = task.options();
    Dataset dataset = Dataset.valueOf(task.subject());
    int keys = dataset.keys(options.scale());
    Values values = new Values(dataset.valueBytes(), options.seed());
    try (TestedStore store = open(dataset, dataset.directory(task.data()), options.scale());
        Clients clients = new Clients(keys, values, task.seed())) {
      parent.say("store", dataset.label() + " " + store.describe());
      readAll(store, keys, parent);
      for (PeerCell cell : task.cells(PeerCell::named)) {
        parent.at(cell.id(), 0);
        clients.run(
            store,
            cell.operation(),
            cell.clients(),
            Clients.Until.seconds(options.scale().warmUpSeconds()));
        Taken taken =
            clients.run(
                store, cell.operation(), cell.clients(), Clients.Until.seconds(options.seconds()));
        parent.say("sample", cell.id() + " " + dataset.label() + " " + taken.text());
      }
    }
  }

  private static void readAll(TestedStore store, int keys, ParentLines parent) throws IOException {
    try (ReadSession.Scan scan = store.scan()) {
      scan.first();
      for (int i = 0; i < keys; i++) {
        if (!scan.valid() || scan.index() != i) {
          throw new io.coppice.bench.suite.WrongAnswerException("a scan does not find key " + i);
        }
        scan.next();
        parent.at("warm-up", i, keys);
      }
    }
  }
}
