// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import static io.coppice.bench.report.Texts.text;

import io.coppice.ReadStats;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.Values;
import java.nio.file.Path;

/** Process that counts the blocks that lookups read and the bytes of filters, without timing. */
record CountsProcess(ReadOptions options, Path data) implements ChildTask {

  private static final int LOOKUPS = 100_000;
  private static final long MEMTABLE_BYTES = 1 << 20;
  private static final double NO_TIME_LIMIT = 3600;

  @Override
  public void run(ParentLines parent) throws InterruptedException {
    parent.at("counts", 0);
    Dataset runs = Dataset.RUNS;
    Values values = new Values(runs.valueBytes(), options.seed());
    try (RunStores stores = new RunStores(options.scale(), data);
        Clients clients = new Clients(runs.keys(options.scale()), values, options.seed())) {
      CoppiceStore store = stores.with(Variant.named("direct_on"), "ADAPTIVE");
      count(parent, store, clients, ReadOperation.HIT, ReadRows.COUNTS_HIT);
      count(parent, store, clients, ReadOperation.MISS, ReadRows.COUNTS_MISS);
    }
    countFilters(parent);
  }

  private void count(
      ParentLines parent, CoppiceStore store, Clients clients, ReadOperation operation, String name)
      throws InterruptedException {
    ReadStats before = store.store().stats().reads();
    clients.run(store, operation, 1, new Clients.Until(NO_TIME_LIMIT, LOOKUPS));
    ReadStats after = store.store().stats().reads();
    long lookups = after.lookups() - before.lookups();
    parent.say(
        "sample",
        text(
            "%s %s lookups=%d candidates=%d blocks=%d false_positives=%d",
            name,
            ReadRows.COUNTED,
            lookups,
            lookups * ReadScale.RUNS,
            after.blocks() - before.blocks(),
            after.falsePositives() - before.falsePositives()));
  }

  private void countFilters(ParentLines parent) {
    Dataset dataset = Dataset.SHORT;
    MemoryBudget memory = MemoryBudget.ofMebibytes(1024);
    StoreOptions form =
        StoreOptions.builder()
            .policy(dataset.policy(options.scale()))
            .memory(memory)
            .memtableBytes(MEMTABLE_BYTES)
            .filterBits(Dataset.FILTER_BITS)
            .durability(Durability.BUFFERED)
            .build();
    try (Store store = Store.open(dataset.directory(data), form)) {
      store.awaitIdle();
      long entries = dataset.keys(options.scale());
      parent.say(
          "sample",
          text(
              "%s %s filter_bytes=%d data_bytes=%d",
              ReadRows.COUNTS_FILTERS,
              ReadRows.COUNTED,
              memory.usedBytes(MemoryBudget.Role.FILTER),
              entries * (BenchmarkKeys.BYTES + dataset.valueBytes())));
    }
  }
}
