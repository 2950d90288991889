// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.cassandra.state.TableState;
import io.coppice.policy.observe.StrategyMXBean;
import io.coppice.policy.spec.PolicySpec;
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
 * Registry of this node's tables that use one of Coppice's strategies, with their beans and
 * metrics.
 *
 * <p>The registry does not count strategy instances, because Cassandra leaves some without a
 * shutdown. One second after an instance has ended, the table is removed if it is dropped or its
 * parameters name another class. Thread-safe.
 */
public final class TableRegistry {

  private static final Logger LOGGER = LoggerFactory.getLogger(TableRegistry.class);

  // Wait after the end of an instance, because Cassandra shuts down the old instances before it
  // creates the new ones.
  private static final long SETTLE_SECONDS = 1;

  private record Key(TableId id, String name) {}

  /**
   * Registration of a table under its name.
   *
   * @param made the number of instances created. A new instance exists before the table's
   *     parameters name its class, so this number shows that the table is still in use
   */
  private record Entry(TableState state, StrategyMetrics metrics, long made) {}

  private static final Map<Key, TableState> TABLES = new ConcurrentHashMap<>();

  /**
   * Registrations by bean name. A table that is dropped and created again has the bean name of the
   * old one.
   */
  private static final Map<String, Entry> BEANS = new ConcurrentHashMap<>();

  private static final TableState.Owner OWNER =
      new TableState.Owner() {
        @Override
        public void reconsider(TableState state) {
          StrategyBean.reconsider(state);
        }

        @Override
        public boolean isRegistered(TableState state) {
          return TableRegistry.isRegistered(state);
        }
      };

  private TableRegistry() {}

  /**
   * Returns the state of a table, with its current schema values; registers a table that is new. A
   * failure to register beans or metrics is logged and leaves the table without them.
   */
  public static TableState of(ColumnFamilyStore table, PolicySpec schema) {
    // Nothing reports the drop of a table that was altered to another strategy.
    TABLES.values().removeIf(known -> known.table() == null && !isRegistered(known));
    TableState state =
        TABLES.compute(
            key(table),
            (same, known) ->
                known != null && known.isOf(table) ? known : new TableState(table, schema, OWNER));
    state.tunables().schema(schema);
    if (!isRegistered(state)) {
      state.begin(table);
    }
    try {
      register(state);
      state.tuner().follow();
      VirtualTables.register();
    } catch (RuntimeException | LinkageError e) {
      // A table that compacts without a bean is better than a node that fails to start.
      LOGGER.warn(
          "{}.{}: some beans, metrics or virtual tables could not be registered",
          table.getKeyspaceName(),
          table.name,
          e);
    }
    return state;
  }

  /** Returns the state of a table that uses or used one of Coppice's strategies, or null. */
  public static TableState known(ColumnFamilyStore table) {
    return TABLES.get(key(table));
  }

  private static Key key(ColumnFamilyStore table) {
    return new Key(table.metadata.id, table.name);
  }

  /** Returns the states of all tables that use one of Coppice's strategies, by name. */
  public static List<TableState> all() {
    List<TableState> all = new ArrayList<>();
    BEANS.values().forEach(entry -> all.add(entry.state));
    all.sort(Comparator.comparing(TableState::keyspace).thenComparing(TableState::name));
    return all;
  }

  /** Returns whether the table uses one of Coppice's strategies. */
  static boolean isRegistered(TableState state) {
    Entry entry = BEANS.get(beanName(state));
    return entry != null && entry.state == state;
  }

  private static String beanName(TableState state) {
    return "io.coppice:type=Strategy,keyspace=" + state.keyspace() + ",table=" + state.name();
  }

  private static void register(TableState state) {
    BEANS.compute(
        beanName(state),
        (name, present) -> {
          if (present != null && present.state == state) {
            return new Entry(state, present.metrics, present.made + 1);
          }
          if (present != null) {
            unregister(name, present);
          }
          StrategyBean bean = new StrategyBean(state);
          MBeanWrapper.instance.registerMBean(
              new StandardMBean(bean, StrategyMXBean.class, true), name, OnException.LOG);
          return new Entry(state, StrategyMetrics.register(state), 1);
        });
  }

  private static void unregister(String name, Entry entry) {
    MBeanWrapper.instance.unregisterMBean(name, OnException.LOG);
    entry.metrics.remove();
  }

  /**
   * Handles the end of an instance: removes the bean and metrics a second later if no instance is
   * left. Does not wait.
   */
  public static void instanceEnded(ColumnFamilyStore table, TableState state) {
    Entry now = BEANS.get(beanName(state));
    long made = now == null ? 0 : now.made;
    ScheduledExecutors.optionalTasks.schedule(
        () -> leaveIfUnused(key(table), state, made), SETTLE_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Removes bean and metrics after the end of an instance, unless the table still has a strategy of
   * Coppice or another instance was created since.
   *
   * @param made number of instances created before that end
   */
  private static void leaveIfUnused(Key key, TableState state, long made) {
    ColumnFamilyStore store = state.table();
    boolean ours =
        store != null
            && StrategyInstance.class.isAssignableFrom(
                store.getCompactionStrategyManager().getCompactionParams().klass());
    if (!ours) {
      BEANS.computeIfPresent(
          beanName(state),
          (name, present) -> {
            if (present.state != state || present.made != made) {
              return present;
            }
            unregister(name, present);
            state.tunables().revert();
            return null;
          });
    }
    if (store == null) {
      TABLES.remove(key, state);
    }
  }
}
