// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import com.codahale.metrics.Gauge;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.metrics.CassandraMetricsRegistry.MetricName;

/**
 * A table's figures in Cassandra's own metrics registry, so that exporters find them where they
 * find the node's: {@code io.coppice.Strategy.<name>.<keyspace>.<table>}, and as beans {@code
 * io.coppice:type=Metrics,keyspace=...,table=...,name=...}. The one class that knows the registry.
 */
final class TableMetrics {

  private static final String GROUP = "io.coppice";
  private static final String TYPE = "Strategy";

  private final List<MetricName> names = new ArrayList<>();
  private final TableFigures figures;

  private TableMetrics(TableFigures figures) {
    this.figures = figures;
  }

  /** Registers the counters, the debt and the runs over a key. */
  static TableMetrics register(TableFigures figures, StrategyBean bean) {
    TableMetrics metrics = new TableMetrics(figures);
    figures
        .counters()
        .forEach(counter -> metrics.add(counter.name(), () -> figures.counter(counter.name())));
    metrics.add("PendingPlans", bean::getPendingPlans);
    metrics.add("DebtBytes", bean::getDebtBytes);
    metrics.add("Runs", () -> bean.getRunsPerLevel().stream().mapToInt(runs -> runs).sum());
    return metrics;
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

  /** Takes them away. */
  void remove() {
    names.forEach(CassandraMetricsRegistry.Metrics::remove);
  }
}
