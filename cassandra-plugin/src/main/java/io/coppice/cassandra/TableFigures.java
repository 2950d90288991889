// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import javax.management.StandardMBean;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MBeanWrapper;
import org.apache.cassandra.utils.MBeanWrapper.OnException;

/**
 * The counters of one table and its bean. A table has many strategy instances, some short-lived and
 * never shut down, so what must outlive them lives here, one object for each table, which holds the
 * table weakly and finds the instances when asked. Thread-safe.
 */
final class TableFigures implements StrategyMXBean {

  // Cassandra shuts the old instances down before it makes the new ones.
  private static final long SETTLE_SECONDS = 1;

  private record Key(TableId id, String name) {}

  private static final Map<Key, TableFigures> TABLES = new ConcurrentHashMap<>();

  /** By bean name: a dropped and recreated table has the name of the old one. */
  private static final Map<String, TableFigures> BEANS = new ConcurrentHashMap<>();

  private final Key key;
  private final String beanName;
  private final WeakReference<ColumnFamilyStore> table;
  private final LongAdder merges = new LongAdder();
  private final LongAdder mergedBytes = new LongAdder();
  private final LongAdder moves = new LongAdder();
  private final LongAdder movedBytes = new LongAdder();
  private final AtomicLong refused = new AtomicLong();
  private final SpaceLedger space = new SpaceLedger();
  private volatile String lastDecision = "";

  private TableFigures(Key key, ColumnFamilyStore table) {
    this.key = key;
    this.beanName =
        "io.coppice:type=Strategy,keyspace=" + table.getKeyspaceName() + ",table=" + table.name;
    this.table = new WeakReference<>(table);
  }

  /** The figures of a table; registers its bean if it has none. */
  static TableFigures of(ColumnFamilyStore table) {
    Key key = new Key(table.metadata.id, table.name);
    TableFigures figures =
        TABLES.compute(
            key,
            (same, known) ->
                known != null && known.table.get() == table
                    ? known
                    : new TableFigures(same, table));
    figures.register();
    return figures;
  }

  private void register() {
    BEANS.compute(
        beanName,
        (name, present) -> {
          if (present == this) {
            return this;
          }
          if (present != null) {
            MBeanWrapper.instance.unregisterMBean(name, OnException.LOG);
          }
          StandardMBean bean = new StandardMBean(this, StrategyMXBean.class, true);
          MBeanWrapper.instance.registerMBean(bean, name, OnException.LOG);
          return this;
        });
  }

  /** An instance has ended; takes the bean away if that was the last of ours. */
  void instanceEnded() {
    ScheduledExecutors.optionalTasks.schedule(
        this::unregisterIfUnused, SETTLE_SECONDS, TimeUnit.SECONDS);
  }

  private void unregisterIfUnused() {
    ColumnFamilyStore store = table.get();
    boolean valid = store != null && store.isValid();
    boolean ours =
        valid
            && CoppiceStrategy.class.isAssignableFrom(
                store.getCompactionStrategyManager().getCompactionParams().klass());
    if (!ours) {
      BEANS.computeIfPresent(
          beanName,
          (name, present) -> {
            if (present != this) {
              return present;
            }
            MBeanWrapper.instance.unregisterMBean(name, OnException.LOG);
            return null;
          });
    }
    if (!valid) {
      TABLES.remove(key, this);
    }
  }

  /** A step of a merge has written so much. */
  void merged(long bytes) {
    mergedBytes.add(bytes);
  }

  /** The last step of a merge has ended. */
  void mergeEnded() {
    merges.increment();
  }

  /** What the merges of all instances share. */
  SpaceLedger space() {
    return space;
  }

  void moved(long bytes) {
    movedBytes.add(bytes);
    moves.increment();
  }

  void decided(String sentence) {
    lastDecision = sentence;
  }

  /** True for the first of all. */
  boolean refused(String sentence) {
    lastDecision = sentence;
    return refused.incrementAndGet() == 1;
  }

  @Override
  public String getPolicy() {
    List<String> policies = new ArrayList<>();
    for (CoppiceStrategy strategy : instances()) {
      policies.add(strategy.spec().toString());
    }
    return policies.isEmpty() ? "" : policies.get(0);
  }

  @Override
  public long getMerges() {
    return merges.sum();
  }

  @Override
  public long getMergedBytes() {
    return mergedBytes.sum();
  }

  @Override
  public long getMoves() {
    return moves.sum();
  }

  @Override
  public long getMovedBytes() {
    return movedBytes.sum();
  }

  @Override
  public long getRefusedPlans() {
    return refused.get();
  }

  @Override
  public String getLastDecision() {
    return lastDecision;
  }

  @Override
  public List<Integer> getRunsPerLevel() {
    return sum(CoppiceStrategy::runsPerLevel);
  }

  @Override
  public List<Integer> getSSTablesPerLevel() {
    return sum(CoppiceStrategy::sstablesPerLevel);
  }

  @Override
  public int getPendingPlans() {
    int plans = 0;
    for (CoppiceStrategy strategy : instances()) {
      plans += strategy.getEstimatedRemainingTasks();
    }
    return plans;
  }

  private List<Integer> sum(Function<CoppiceStrategy, List<Integer>> levels) {
    List<Integer> sum = new ArrayList<>();
    for (CoppiceStrategy strategy : instances()) {
      List<Integer> counts = levels.apply(strategy);
      for (int level = 0; level < counts.size(); level++) {
        if (level == sum.size()) {
          sum.add(0);
        }
        sum.set(level, sum.get(level) + counts.get(level));
      }
    }
    return sum;
  }

  private List<CoppiceStrategy> instances() {
    List<CoppiceStrategy> instances = new ArrayList<>();
    ColumnFamilyStore store = table.get();
    if (store != null && store.isValid()) {
      for (List<AbstractCompactionStrategy> group :
          store.getCompactionStrategyManager().getStrategies()) {
        for (AbstractCompactionStrategy strategy : group) {
          if (strategy instanceof CoppiceStrategy ours) {
            instances.add(ours);
          }
        }
      }
    }
    return instances;
  }
}
