// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import com.codahale.metrics.Gauge;
import io.coppice.policy.Figure;
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
 * The metrics of one table in Cassandra's registry, under the names of {@link Figure}.
 *
 * <p>Exporters find them beside the node's metrics: {@code
 * io.coppice.Strategy.<name>.<keyspace>.<table>}, and as beans {@code
 * io.coppice:type=Metrics,keyspace=...,table=...,name=...}. No other class uses the registry.
 */
final class TableMetrics {

  private static final String GROUP = "io.coppice";
  private static final String TYPE = "Strategy";

  private final List<MetricName> names = new ArrayList<>();
  private final TableFigures figures;

  private TableMetrics(TableFigures figures) {
    this.figures = figures;
  }

  /** Registers all metrics of a table. */
  static TableMetrics register(TableFigures figures) {
    TableMetrics metrics = new TableMetrics(figures);
    Set<String> counted = new HashSet<>();
    for (StrategySnapshot.Counter counter : figures.counters()) {
      counted.add(counter.name());
      metrics.add(counter.name(), () -> figures.counter(counter.name()));
    }
    TableLooks looks = new TableLooks(figures);
    Map<Figure, ToLongFunction<TableLooks.Look>> whole = new EnumMap<>(Figure.class);
    whole.put(Figure.LIVE_BYTES, TableLooks.Look::liveBytes);
    whole.put(Figure.PINNED_BYTES, TableLooks.Look::pinnedBytes);
    whole.put(Figure.RUNS, TableLooks.Look::runs);
    whole.put(Figure.PENDING_PLANS, TableLooks.Look::plans);
    whole.put(Figure.DEBT_BYTES, TableLooks.Look::debtBytes);
    whole.put(Figure.DEBT_SECONDS, look -> figures.pace().seconds(look.debtBytes()));
    whole.put(Figure.HEADROOM_BYTES, TableLooks.Look::headroomBytes);
    whole.put(Figure.FILTER_TRUE_POSITIVES, TableLooks.Look::filterTruePositives);
    whole.put(Figure.FILTER_FALSE_POSITIVES, TableLooks.Look::filterFalsePositives);
    whole.put(Figure.FILTER_BYTES, TableLooks.Look::filterBytes);
    whole.forEach((figure, of) -> metrics.add(figure, () -> of.applyAsLong(looks.now())));
    Map<Figure, ToDoubleFunction<TableLooks>> ratios = new EnumMap<>(Figure.class);
    ratios.put(Figure.WRITE_AMPLIFICATION, of -> figures.amplification().write());
    ratios.put(Figure.WRITE_AMPLIFICATION_1H, of -> of.hour().write());
    ratios.put(Figure.WRITE_AMPLIFICATION_24H, of -> of.day().write());
    ratios.put(Figure.SPACE_AMPLIFICATION, of -> of.now().space());
    ratios.put(Figure.SPACE_AMPLIFICATION_1H, of -> of.hour().space());
    ratios.put(Figure.SPACE_AMPLIFICATION_24H, of -> of.day().space());
    ratios.put(Figure.TABLES_PER_READ, of -> figures.amplification().tablesPerRead());
    ratios.put(Figure.TABLES_PER_READ_1H, of -> of.hour().tablesPerRead());
    ratios.put(Figure.TABLES_PER_READ_24H, of -> of.day().tablesPerRead());
    ratios.forEach((figure, of) -> metrics.add(figure, () -> of.applyAsDouble(looks)));
    for (Figure figure : Figure.values()) {
      assert counted.contains(figure.label())
              || whole.containsKey(figure)
              || ratios.containsKey(figure)
          : figure + " is missing";
    }
    return metrics;
  }

  private void add(Figure figure, Supplier<Number> value) {
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
