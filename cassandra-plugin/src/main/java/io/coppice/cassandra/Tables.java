// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.PolicySpec;
import io.coppice.policy.StrategyMXBean;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.management.StandardMBean;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MBeanWrapper;
import org.apache.cassandra.utils.MBeanWrapper.OnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of this node that have one of our strategies, with their beans and metrics. Strategy
 * instances are not counted, as some are never shut down: a table leaves when, a moment after an
 * instance ended, it is gone or its parameters name another class. Thread-safe.
 */
final class Tables {

  private static final Logger LOGGER = LoggerFactory.getLogger(Tables.class);

  // Cassandra shuts the old instances down before it makes the new ones.
  private static final long SETTLE_SECONDS = 1;

  private record Key(TableId id, String name) {}

  /**
   * What is registered under a table's name.
   *
   * @param made instances made since; a new one stands before the table's parameters name it
   */
  private record Entry(TableFigures figures, TableMetrics metrics, long made) {}

  private static final Map<Key, TableFigures> TABLES = new ConcurrentHashMap<>();

  /** By bean name: a dropped and recreated table has the name of the old one. */
  private static final Map<String, Entry> BEANS = new ConcurrentHashMap<>();

  private Tables() {}

  /** The figures of a table, with what its schema says now; registers what it has not yet. */
  static TableFigures of(ColumnFamilyStore table, PolicySpec schema) {
    // Of those that were altered to another strategy nobody hears when they are dropped.
    TABLES.values().removeIf(known -> known.table() == null && !isRegistered(known));
    TableFigures figures =
        TABLES.compute(
            key(table),
            (same, known) ->
                known != null && known.isOf(table) ? known : new TableFigures(table, schema));
    figures.tunables().schema(schema);
    if (!isRegistered(figures)) {
      figures.begin(table);
    }
    try {
      register(figures);
      figures.tuner().follow();
      VirtualTables.register();
    } catch (RuntimeException | LinkageError e) {
      // A table that compacts unseen is better than a node that does not start.
      LOGGER.warn(
          "{}.{}: beans, metrics or virtual tables are missing",
          table.getKeyspaceName(),
          table.name,
          e);
    }
    return figures;
  }

  /** The figures of a table that has one of our strategies, or had. */
  static TableFigures known(ColumnFamilyStore table) {
    return TABLES.get(key(table));
  }

  private static Key key(ColumnFamilyStore table) {
    return new Key(table.metadata.id, table.name);
  }

  /** The tables that have one of our strategies, by name. */
  static List<TableFigures> all() {
    List<TableFigures> all = new ArrayList<>();
    BEANS.values().forEach(entry -> all.add(entry.figures));
    all.sort(Comparator.comparing(TableFigures::keyspace).thenComparing(TableFigures::name));
    return all;
  }

  /** True while a table has one of our strategies. */
  static boolean isRegistered(TableFigures figures) {
    Entry entry = BEANS.get(beanName(figures));
    return entry != null && entry.figures == figures;
  }

  private static String beanName(TableFigures figures) {
    return "io.coppice:type=Strategy,keyspace=" + figures.keyspace() + ",table=" + figures.name();
  }

  private static void register(TableFigures figures) {
    BEANS.compute(
        beanName(figures),
        (name, present) -> {
          if (present != null && present.figures == figures) {
            return new Entry(figures, present.metrics, present.made + 1);
          }
          if (present != null) {
            unregister(name, present);
          }
          StrategyBean bean = new StrategyBean(figures);
          MBeanWrapper.instance.registerMBean(
              new StandardMBean(bean, StrategyMXBean.class, true), name, OnException.LOG);
          return new Entry(figures, TableMetrics.register(figures), 1);
        });
  }

  private static void unregister(String name, Entry entry) {
    MBeanWrapper.instance.unregisterMBean(name, OnException.LOG);
    entry.metrics.remove();
  }

  /** An instance has ended; takes the bean away if that was the last of ours. */
  static void instanceEnded(ColumnFamilyStore table, TableFigures figures) {
    Entry now = BEANS.get(beanName(figures));
    long made = now == null ? 0 : now.made;
    ScheduledExecutors.optionalTasks.schedule(
        () -> leaveIfUnused(key(table), figures, made), SETTLE_SECONDS, TimeUnit.SECONDS);
  }

  /** Leaves the bean to an instance that was made since. */
  private static void leaveIfUnused(Key key, TableFigures figures, long made) {
    ColumnFamilyStore store = figures.table();
    boolean ours =
        store != null
            && CoppiceStrategy.class.isAssignableFrom(
                store.getCompactionStrategyManager().getCompactionParams().klass());
    if (!ours) {
      BEANS.computeIfPresent(
          beanName(figures),
          (name, present) -> {
            if (present.figures != figures || present.made != made) {
              return present;
            }
            unregister(name, present);
            figures.tunables().revert();
            return null;
          });
    }
    if (store == null) {
      TABLES.remove(key, figures);
    }
  }
}
