// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.function.DoubleToLongFunction;
import java.util.function.LongSupplier;

/**
 * The figures of one store, under {@code coppice.<name>.}. Counters count since the store was
 * opened. Safe to share between threads.
 */
public final class StoreMetrics {

  /** Flushes that became durable. */
  public final Counter flushes;

  /** Bytes of tables written by flushes. */
  public final Counter flushedBytes;

  /** Durable merge steps. */
  public final Counter mergeSteps;

  /** Bytes of tables that merges used up. */
  public final Counter mergeReadBytes;

  /** Bytes of tables written by merges. */
  public final Counter mergedBytes;

  /** Moves carried out. */
  public final Counter moves;

  /** Bytes of slices moved. */
  public final Counter movedBytes;

  /** Delays carried out. */
  public final Counter delays;

  /** Bytes of slices delayed. */
  public final Counter delayedBytes;

  /** Drops carried out. */
  public final Counter drops;

  /** Bytes of slices dropped. */
  public final Counter droppedBytes;

  /** Plans that failed. */
  public final Counter failedPlans;

  /** Writes made to wait for flush or merge. */
  public final Counter stalls;

  /** Nanoseconds that writes waited. */
  public final Counter stalledNanos;

  /** Bytes of keys and values accepted. */
  public final Counter acceptedBytes;

  private final MetricRegistry registry;
  private final String prefix;

  /** Registers the figures. */
  public StoreMetrics(MetricRegistry registry, String store) {
    this.registry = registry;
    this.prefix = MetricRegistry.name("coppice", store);
    flushes = counter("flushes");
    flushedBytes = counter("flushed-bytes");
    mergeSteps = counter("merge-steps");
    mergeReadBytes = counter("merge-read-bytes");
    mergedBytes = counter("merged-bytes");
    moves = counter("moves");
    movedBytes = counter("moved-bytes");
    delays = counter("delays");
    delayedBytes = counter("delayed-bytes");
    drops = counter("drops");
    droppedBytes = counter("dropped-bytes");
    failedPlans = counter("failed-plans");
    stalls = counter("stalls");
    stalledNanos = counter("stalled-nanos");
    acceptedBytes = counter("accepted-bytes");
  }

  /** Adds a figure that is read when asked for; one of the same name is replaced. */
  public void gauge(String name, LongSupplier value) {
    String full = MetricRegistry.name(prefix, name);
    registry.remove(full);
    registry.register(full, (Gauge<Long>) value::getAsLong);
  }

  /**
   * Adds times whose distribution is read when asked for: gauges of the median, of the 99th and
   * 99.9th in a hundred, and of how many there are.
   *
   * @param nanos within which a share from 0 to 1 of them stayed
   */
  public void latencies(String name, DoubleToLongFunction nanos, LongSupplier count) {
    gauge(name + ".p50", () -> nanos.applyAsLong(0.5));
    gauge(name + ".p99", () -> nanos.applyAsLong(0.99));
    gauge(name + ".p999", () -> nanos.applyAsLong(0.999));
    gauge(name + ".count", count);
  }

  /** Takes the store's figures out of the registry. */
  public void close() {
    registry.removeMatching((name, metric) -> name.startsWith(prefix + "."));
  }

  private Counter counter(String name) {
    String full = MetricRegistry.name(prefix, name);
    registry.remove(full);
    return registry.counter(full);
  }
}
