// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import com.codahale.metrics.Gauge;
import io.coppice.policy.CompactionMetricId;
import io.coppice.policy.StrategySnapshot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.metrics.CassandraMetricsRegistry.MetricName;

/**
 * The metrics of one table in Cassandra's registry, under the names of {@link CompactionMetricId}.
 *
 * <p>Exporters find them beside the node's metrics: {@code
 * io.coppice.Strategy.<name>.<keyspace>.<table>}, and as beans {@code
 * io.coppice:type=Metrics,keyspace=...,table=...,name=...}. No other class uses the registry.
 */
final class StrategyMetrics {

  private static final String GROUP = "io.coppice";
  private static final String TYPE = "Strategy";

  private final List<MetricName> names = new ArrayList<>();
  private final TableState figures;

  private StrategyMetrics(TableState figures) {
    this.figures = figures;
  }

  /** Registers all metrics of a table. */
  static StrategyMetrics register(TableState figures) {
    StrategyMetrics metrics = new StrategyMetrics(figures);
    Set<String> counted = new HashSet<>();
    for (StrategySnapshot.Counter counter : figures.counters()) {
      counted.add(counter.name());
      metrics.add(counter.name(), () -> figures.counter(counter.name()));
    }
    TableStatsSampler looks = new TableStatsSampler(figures);
    Map<CompactionMetricId, ToLongFunction<TableStatsSampler.Look>> whole =
        new EnumMap<>(CompactionMetricId.class);
    whole.put(CompactionMetricId.LIVE_BYTES, TableStatsSampler.Look::liveBytes);
    whole.put(CompactionMetricId.PINNED_BYTES, TableStatsSampler.Look::pinnedBytes);
    whole.put(CompactionMetricId.RUNS, TableStatsSampler.Look::runs);
    whole.put(CompactionMetricId.PENDING_PLANS, TableStatsSampler.Look::plans);
    whole.put(CompactionMetricId.DEBT_BYTES, TableStatsSampler.Look::debtBytes);
    whole.put(CompactionMetricId.DEBT_SECONDS, look -> figures.pace().seconds(look.debtBytes()));
    whole.put(CompactionMetricId.HEADROOM_BYTES, TableStatsSampler.Look::headroomBytes);
    whole.put(
        CompactionMetricId.FILTER_TRUE_POSITIVES, TableStatsSampler.Look::filterTruePositives);
    whole.put(
        CompactionMetricId.FILTER_FALSE_POSITIVES, TableStatsSampler.Look::filterFalsePositives);
    whole.put(CompactionMetricId.FILTER_BYTES, TableStatsSampler.Look::filterBytes);
    whole.forEach((figure, of) -> metrics.add(figure, () -> of.applyAsLong(looks.now())));
    Map<CompactionMetricId, ToDoubleFunction<TableStatsSampler>> ratios =
        new EnumMap<>(CompactionMetricId.class);
    ratios.put(CompactionMetricId.WRITE_AMPLIFICATION, of -> figures.amplification().write());
    ratios.put(CompactionMetricId.WRITE_AMPLIFICATION_1H, of -> of.hour().write());
    ratios.put(CompactionMetricId.WRITE_AMPLIFICATION_24H, of -> of.day().write());
    ratios.put(CompactionMetricId.SPACE_AMPLIFICATION, of -> of.now().space());
    ratios.put(CompactionMetricId.SPACE_AMPLIFICATION_1H, of -> of.hour().space());
    ratios.put(CompactionMetricId.SPACE_AMPLIFICATION_24H, of -> of.day().space());
    ratios.put(CompactionMetricId.TABLES_PER_READ, of -> figures.amplification().tablesPerRead());
    ratios.put(CompactionMetricId.TABLES_PER_READ_1H, of -> of.hour().tablesPerRead());
    ratios.put(CompactionMetricId.TABLES_PER_READ_24H, of -> of.day().tablesPerRead());
    ratios.forEach((figure, of) -> metrics.add(figure, () -> of.applyAsDouble(looks)));
    for (CompactionMetricId figure : CompactionMetricId.values()) {
      assert counted.contains(figure.label())
              || whole.containsKey(figure)
              || ratios.containsKey(figure)
          : figure + " is missing";
    }
    return metrics;
  }

  private void add(CompactionMetricId figure, Supplier<Number> value) {
    add(figure.label(), value);
  }

  private void add(String name, Supplier<Number> value) {
    String scope = figures.keyspace() + "." + figures.name();
    String bean =
        GROUP
            + ":type=Metrics,keyspace="
            + figures.keyspace()
            + ",table="
            + figures.name()
            + ",name="
            + name;
    MetricName metric = new MetricName(GROUP, TYPE, name, scope, bean);
    Gauge<Number> gauge = value::get;
    CassandraMetricsRegistry.Metrics.register(metric, gauge);
    names.add(metric);
  }

  /** Removes the metrics from the registry. */
  void remove() {
    names.forEach(CassandraMetricsRegistry.Metrics::remove);
  }
}
