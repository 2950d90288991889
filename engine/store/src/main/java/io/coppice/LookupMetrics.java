// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.SearchScheme;
import io.coppice.metrics.StoreMetricId;
import io.coppice.metrics.StoreMetrics;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.CounterWindow;
import io.coppice.read.LookupContext;
import io.coppice.read.stats.ReadTotals;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** Metrics of a store's lookups under the names of the registry. Safe to share between threads. */
final class LookupMetrics {

  private final LookupContext context;
  private final LongSupplier nanoTime;
  private final CounterWindow hour = new CounterWindow(CounterWindow.HOUR);
  private final CounterWindow day = new CounterWindow(CounterWindow.DAY);

  LookupMetrics(LookupContext context, LongSupplier nanoTime) {
    this.context = context;
    this.nanoTime = nanoTime;
  }

  /** Adds all these metrics to the store's registry. */
  void register(StoreMetrics metrics) {
    tablesPerRead(hour);
    tablesPerRead(day);
    metrics.number(CompactionMetricId.READS, () -> context.figures().lookups());
    metrics.number(CompactionMetricId.TABLES_PER_READ, this::tablesPerRead);
    metrics.number(CompactionMetricId.TABLES_PER_READ_1H, () -> tablesPerRead(hour));
    metrics.number(CompactionMetricId.TABLES_PER_READ_24H, () -> tablesPerRead(day));
    metrics.number(
        CompactionMetricId.FILTER_TRUE_POSITIVES, () -> context.figures().truePositives());
    metrics.number(
        CompactionMetricId.FILTER_FALSE_POSITIVES, () -> context.figures().falsePositives());
    count(metrics, StoreMetricId.LOOKUP_BLOCKS, ReadTotals::blocks);
    count(metrics, StoreMetricId.LOOKUP_BLOCK_BYTES, ReadTotals::blockBytes);
    count(metrics, StoreMetricId.LOOKUP_FOUND_BYTES, ReadTotals::foundBytes);
    count(metrics, StoreMetricId.READ_BATCHES, ReadTotals::batches);
    count(metrics, StoreMetricId.BATCH_READS, ReadTotals::batchReads);
    count(metrics, StoreMetricId.WASTED_READS, ReadTotals::wastedReads);
    metrics.gauge(StoreMetricId.READS_IN_FLIGHT, () -> context.reader().inFlight());
    for (SearchScheme scheme : SearchScheme.values()) {
      metrics.lookups(scheme, context.latencies(scheme)::nanos, context.latencies(scheme)::count);
    }
  }

  private void count(StoreMetrics metrics, StoreMetricId metric, ToLongFunction<ReadTotals> of) {
    metrics.gauge(metric, () -> of.applyAsLong(context.figures()));
  }

  private double tablesPerRead() {
    ReadTotals figures = context.figures();
    return figures.lookups() == 0 ? 0 : (double) figures.tables() / figures.lookups();
  }

  private double tablesPerRead(CounterWindow window) {
    ReadTotals figures = context.figures();
    double[] grown = window.since(nanoTime.getAsLong(), figures.tables(), figures.lookups());
    return grown[1] == 0 ? Double.NaN : grown[0] / grown[1];
  }
}
