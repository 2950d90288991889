// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import io.coppice.base.NameText;
import io.coppice.policy.Figure;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.DoubleToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The figures of one store: {@code coppice.<store>.<name>} for all of it, and {@code
 * coppice.<store>.<family>.<name>} for a family, by the names of {@link Figure} and {@link
 * StoreFigure}. The family is written as {@link NameText#dottedPart} writes it, so its name adds no
 * dot. Counters count since the store was opened. Safe to share between threads.
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

  /**
   * Whose figure a name is.
   *
   * @param family its family, or "" for a figure of the store
   * @param figure its name there
   */
  record Owner(String family, String figure) {}

  private final String store;

  /**
   * This store's metrics by full name. The name of another store may begin with this store's name.
   */
  private final NavigableMap<String, Owner> owners = new ConcurrentSkipListMap<>();

  /** Null while they are no beans. */
  private volatile JmxReporter beans;

  /** Registers the figures. */
  public StoreMetrics(MetricRegistry registry, String store) {
    this.registry = registry;
    this.store = store;
    this.prefix = MetricRegistry.name("coppice", store);
    flushes = counter(Figure.FLUSHES.label());
    flushedBytes = counter(Figure.FLUSHED_BYTES.label());
    mergeSteps = counter(Figure.MERGE_STEPS.label());
    mergeReadBytes = counter(Figure.MERGE_READ_BYTES.label());
    mergedBytes = counter(Figure.MERGED_BYTES.label());
    moves = counter(Figure.MOVES.label());
    movedBytes = counter(Figure.MOVED_BYTES.label());
    delays = counter(Figure.DELAYS.label());
    delayedBytes = counter(Figure.DELAYED_BYTES.label());
    drops = counter(Figure.DROPS.label());
    droppedBytes = counter(Figure.DROPPED_BYTES.label());
    failedPlans = counter(Figure.FAILED_PLANS.label());
    stalls = counter(StoreFigure.STALLS.label());
    stalledNanos = counter(StoreFigure.STALLED_NANOS.label());
    acceptedBytes = counter(StoreFigure.ACCEPTED_BYTES.label());
  }

  /** Adds a figure of the store that is read when asked for; one of the same name is replaced. */
  public void gauge(StoreFigure figure, LongSupplier value) {
    add(figure.label(), value::getAsLong);
  }

  /** As {@link #gauge(StoreFigure, LongSupplier)}, of a number that need not be whole. */
  public void number(StoreFigure figure, Supplier<Number> value) {
    add(figure.label(), value);
  }

  /** Adds a figure of all families together, likewise. */
  public void number(Figure figure, Supplier<Number> value) {
    add(figure.label(), value);
  }

  /** Adds a figure of one family, likewise. */
  public void number(String family, Figure figure, Supplier<Number> value) {
    String full = MetricRegistry.name(prefix, NameText.dottedPart(family), figure.label());
    add(full, new Owner(family, figure.label()), value);
  }

  /**
   * Adds times whose distribution is read when asked for: gauges of the median, of the 99th and
   * 99.9th in a hundred, and of how many there are.
   *
   * @param nanos within which a share from 0 to 1 of them stayed
   */
  public void lookups(Enum<?> scheme, DoubleToLongFunction nanos, LongSupplier count) {
    String name =
        MetricRegistry.name(
            StoreFigure.LOOKUP_NANOS.label(),
            scheme.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    add(name + ".p50", () -> nanos.applyAsLong(0.5));
    add(name + ".p99", () -> nanos.applyAsLong(0.99));
    add(name + ".p999", () -> nanos.applyAsLong(0.999));
    add(name + ".count", count::getAsLong);
  }

  /**
   * Shows the figures, those to come too, as beans of the JVM's own agent, until {@link #close}:
   * {@code io.coppice:type=Metrics,store=...,name=...}, with {@code family=...} for those of a
   * family. No port is opened.
   */
  public void showAsBeans() {
    beans = FigureBeans.start(registry, store, owners);
  }

  /** Takes the figures of a family out of the registry. */
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

  /** Takes the store's figures out of the registry. Idempotent. */
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

  /** The whole name, which no figure has now. */
  private String fresh(String full, Owner owner) {
    registry.remove(full);
    owners.put(full, owner);
    return full;
  }
}
