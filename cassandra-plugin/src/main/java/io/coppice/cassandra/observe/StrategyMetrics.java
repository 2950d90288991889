// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import com.codahale.metrics.Gauge;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.StrategySnapshot;
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
  private final TableState state;

  private StrategyMetrics(TableState state) {
    this.state = state;
  }

  /** Registers all metrics of a table in Cassandra's registry, until {@link #remove}. */
  static StrategyMetrics register(TableState state) {
    StrategyMetrics metrics = new StrategyMetrics(state);
    Set<String> counted = new HashSet<>();
    for (StrategySnapshot.Counter counter : state.counters()) {
      counted.add(counter.name());
      metrics.add(counter.name(), () -> state.counter(counter.name()));
    }
    TableStatsSampler sampler = new TableStatsSampler(state);
    Map<CompactionMetricId, ToLongFunction<TableStatsSampler.Sample>> whole =
        new EnumMap<>(CompactionMetricId.class);
    whole.put(CompactionMetricId.LIVE_BYTES, TableStatsSampler.Sample::liveBytes);
    whole.put(CompactionMetricId.PINNED_BYTES, TableStatsSampler.Sample::pinnedBytes);
    whole.put(CompactionMetricId.RUNS, TableStatsSampler.Sample::runs);
    whole.put(CompactionMetricId.PENDING_PLANS, TableStatsSampler.Sample::plans);
    whole.put(CompactionMetricId.BACKLOG_BYTES, TableStatsSampler.Sample::backlogBytes);
    whole.put(
        CompactionMetricId.BACKLOG_SECONDS,
        sample -> state.counts().throughput().seconds(sample.backlogBytes()));
    whole.put(CompactionMetricId.HEADROOM_BYTES, TableStatsSampler.Sample::headroomBytes);
    whole.put(
        CompactionMetricId.HEADROOM_LIMIT_BYTES, TableStatsSampler.Sample::headroomLimitBytes);
    whole.put(
        CompactionMetricId.FILTER_TRUE_POSITIVES, TableStatsSampler.Sample::filterTruePositives);
    whole.put(
        CompactionMetricId.FILTER_FALSE_POSITIVES, TableStatsSampler.Sample::filterFalsePositives);
    whole.put(CompactionMetricId.FILTER_BYTES, TableStatsSampler.Sample::filterBytes);
    whole.forEach((metric, of) -> metrics.add(metric, () -> of.applyAsLong(sampler.now())));
    Map<CompactionMetricId, ToDoubleFunction<TableStatsSampler>> ratios =
        new EnumMap<>(CompactionMetricId.class);
    ratios.put(CompactionMetricId.WRITE_AMPLIFICATION, of -> state.amplification().write());
    ratios.put(CompactionMetricId.WRITE_AMPLIFICATION_1H, of -> of.hour().write());
    ratios.put(CompactionMetricId.WRITE_AMPLIFICATION_24H, of -> of.day().write());
    ratios.put(CompactionMetricId.SPACE_AMPLIFICATION, of -> of.now().space());
    ratios.put(CompactionMetricId.SPACE_AMPLIFICATION_1H, of -> of.hour().space());
    ratios.put(CompactionMetricId.SPACE_AMPLIFICATION_24H, of -> of.day().space());
    ratios.put(CompactionMetricId.TABLES_PER_READ, of -> state.amplification().tablesPerRead());
    ratios.put(CompactionMetricId.TABLES_PER_READ_1H, of -> of.hour().tablesPerRead());
    ratios.put(CompactionMetricId.TABLES_PER_READ_24H, of -> of.day().tablesPerRead());
    ratios.forEach((metric, of) -> metrics.add(metric, () -> of.applyAsDouble(sampler)));
    for (CompactionMetricId metric : CompactionMetricId.values()) {
      assert counted.contains(metric.label())
              || whole.containsKey(metric)
              || ratios.containsKey(metric)
          : metric + " is missing";
    }
    return metrics;
  }

  private void add(CompactionMetricId metric, Supplier<Number> value) {
    add(metric.label(), value);
  }

  private void add(String name, Supplier<Number> value) {
    String scope = state.keyspace() + "." + state.name();
    String bean =
        "%s:type=Metrics,keyspace=%s,table=%s,name=%s"
            .formatted(GROUP, state.keyspace(), state.name(), name);
    MetricName metric = new MetricName(GROUP, TYPE, name, scope, bean);
    Gauge<Number> gauge = value::get;
    CassandraMetricsRegistry.Metrics.register(metric, gauge);
    names.add(metric);
  }

  /** Removes the metrics of the table from Cassandra's registry. */
  void remove() {
    names.forEach(CassandraMetricsRegistry.Metrics::remove);
  }
}
