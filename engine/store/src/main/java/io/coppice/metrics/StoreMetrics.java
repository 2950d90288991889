// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import io.coppice.base.bytes.NameText;
import io.coppice.policy.observe.CompactionMetricId;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.DoubleToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Metrics of one store: {@code coppice.<store>.<name>} for the whole store, and {@code
 * coppice.<store>.<family>.<name>} for a family, with the names of {@link CompactionMetricId} and
 * {@link StoreMetricId}. {@link NameText#dottedPart} encodes the family, so its name adds no dot.
 * Counters begin with the opening of the store. Safe to share between threads.
 */
public final class StoreMetrics {

  private static final Set<CompactionMetricId> SUMMED =
      EnumSet.of(
          CompactionMetricId.FLUSHES,
          CompactionMetricId.FLUSHED_BYTES,
          CompactionMetricId.MERGE_STEPS,
          CompactionMetricId.MERGE_READ_BYTES,
          CompactionMetricId.MERGED_BYTES,
          CompactionMetricId.MOVES,
          CompactionMetricId.MOVED_BYTES,
          CompactionMetricId.DELAYS,
          CompactionMetricId.DELAYED_BYTES,
          CompactionMetricId.DROPS,
          CompactionMetricId.DROPPED_BYTES,
          CompactionMetricId.FAILED_PLANS);

  private final Map<CompactionMetricId, Counter> sums = new EnumMap<>(CompactionMetricId.class);

  /** Number of writes that waited for a flush or merge. */
  public final Counter stalls;

  /** Nanoseconds that writes waited for flushes or merges. */
  public final Counter stalledNanos;

  /** Bytes of written keys and values, each with some bytes for its kind and lengths. */
  public final Counter acceptedBytes;

  private final MetricRegistry registry;
  private final String prefix;

  /**
   * Owner of a metric's name.
   *
   * @param family name of the family, or "" for a metric of the store
   * @param figure the metric's name there
   */
  record Owner(String family, String figure) {}

  private final String store;

  /**
   * Owners of this store's metrics by full name. A prefix alone cannot tell them, because the name
   * of another store may begin with this store's name.
   */
  private final NavigableMap<String, Owner> owners = new ConcurrentSkipListMap<>();

  /** Reporter that shows the metrics as beans, or null. */
  private volatile JmxReporter beans;

  /**
   * Registers the counters of a store, in place of metrics with their names.
   *
   * @param registry registry of the user, which stays open at {@link #close}
   * @param store name of the store, a part of each metric's name; may be ""
   */
  public StoreMetrics(MetricRegistry registry, String store) {
    this.registry = registry;
    this.store = store;
    this.prefix = MetricRegistry.name("coppice", store);
    SUMMED.forEach(metric -> sums.put(metric, counter(metric.label())));
    stalls = counter(StoreMetricId.STALLS.label());
    stalledNanos = counter(StoreMetricId.STALLED_NANOS.label());
    acceptedBytes = counter(StoreMetricId.ACCEPTED_BYTES.label());
  }

  /** Adds to a sum over all families; ignores a metric that a store does not sum. */
  public void add(CompactionMetricId metric, long amount) {
    Counter sum = sums.get(metric);
    if (sum != null) {
      sum.inc(amount);
    }
  }

  /** Returns a sum over all families since the opening. The metric is one that a store sums. */
  public long sum(CompactionMetricId metric) {
    return sums.get(metric).getCount();
  }

  /** Adds an integer metric of the store, computed on request; it replaces one of the same name. */
  public void gauge(StoreMetricId metric, LongSupplier value) {
    add(metric.label(), value::getAsLong);
  }

  /**
   * Adds a metric of the store that may be fractional, as {@link #gauge(StoreMetricId,
   * LongSupplier)} does.
   */
  public void number(StoreMetricId metric, Supplier<Number> value) {
    add(metric.label(), value);
  }

  /** Adds a metric of all families together, computed on request. */
  public void number(CompactionMetricId metric, Supplier<Number> value) {
    add(metric.label(), value);
  }

  /** Adds a metric of one family, computed on request. */
  public void number(String family, CompactionMetricId metric, Supplier<Number> value) {
    String full = MetricRegistry.name(prefix, NameText.dottedPart(family), metric.label());
    add(full, new Owner(family, metric.label()), value);
  }

  /**
   * Adds a distribution of durations, computed on request: gauges of the median, the 99th and
   * 99.9th percentile, and the count.
   *
   * @param nanos maps a share from 0 to 1 to the quantile in nanoseconds
   */
  public void lookups(Enum<?> scheme, DoubleToLongFunction nanos, LongSupplier count) {
    String name =
        MetricRegistry.name(
            StoreMetricId.LOOKUP_NANOS.label(),
            scheme.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    add(name + ".p50", () -> nanos.applyAsLong(0.5));
    add(name + ".p99", () -> nanos.applyAsLong(0.99));
    add(name + ".p999", () -> nanos.applyAsLong(0.999));
    add(name + ".count", count::getAsLong);
  }

  /**
   * Shows all present and later metrics as beans of the JVM's own agent until {@link #close}. A
   * failure throws and leaves no bean. The names are {@code
   * io.coppice:type=Metrics,store=...,name=...}, with {@code family=...} for those of a family. No
   * port is opened. Called at most once.
   */
  public void showAsBeans() {
    beans = MetricBeans.start(registry, store, owners);
  }

  /** Removes the metrics of a family from the registry; sums over all families keep its part. */
  public void forget(String family) {
    String scope = MetricRegistry.name(prefix, NameText.dottedPart(family)) + ".";
    owners
        .subMap(scope, scope + Character.MAX_VALUE)
        .forEach(
            (full, owner) -> {
              if (owner.family().equals(family)) {
                remove(full);
              }
            });
  }

  /** Removes the store's metrics from the registry. Idempotent. */
  public void close() {
    owners.keySet().forEach(this::remove);
    JmxReporter reporter = beans;
    if (reporter != null) {
      reporter.close();
    }
  }

  private void remove(String full) {
    registry.remove(full);
    owners.remove(full);
  }

  private void add(String figure, Supplier<Number> value) {
    add(MetricRegistry.name(prefix, figure), new Owner("", figure), value);
  }

  private void add(String full, Owner owner, Supplier<Number> value) {
    registry.register(fresh(full, owner), (Gauge<Number>) value::get);
  }

  private Counter counter(String figure) {
    return registry.counter(fresh(MetricRegistry.name(prefix, figure), new Owner("", figure)));
  }

  /**
   * Returns the full name of a metric for its registration. A metric that has the name is removed.
   */
  private String fresh(String full, Owner owner) {
    registry.remove(full);
    owners.put(full, owner);
    return full;
  }
}
