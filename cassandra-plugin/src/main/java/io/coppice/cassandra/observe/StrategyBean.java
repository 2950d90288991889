// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.cassandra.merge.DiskRoom;
import io.coppice.cassandra.state.TableState;
import io.coppice.cassandra.state.Tunables;
import io.coppice.policy.observe.CountedStrategyBean;
import io.coppice.policy.observe.JmxStrategySnapshot;
import io.coppice.policy.observe.JmxTableMap;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.JsonUtils;

/**
 * The JMX bean of one table. Each call looks up the table's strategy instances and adds up their
 * values.
 */
public final class StrategyBean extends CountedStrategyBean {

  private final TableState state;

  StrategyBean(TableState state) {
    super(state.counts());
    this.state = state;
  }

  @Override
  public String getPolicy() {
    return state.tunables().current().toString();
  }

  @Override
  public String getConfiguredPolicy() {
    return state.tunables().schema().toString();
  }

  @Override
  public String getConfiguration() {
    ColumnFamilyStore table = state.table();
    return table == null
        ? ""
        : JsonUtils.writeAsJsonString(table.metadata().params.compaction.asMap());
  }

  @Override
  public List<Integer> getRunsPerLevel() {
    return sum(PlanningSummary::runsPerLevel);
  }

  @Override
  public List<Integer> getTablesPerLevel() {
    return sum(PlanningSummary::tablesPerLevel);
  }

  @Override
  public int getPendingPlans() {
    return instances(state.table()).stream().mapToInt(instance -> instance.summary().plans()).sum();
  }

  @Override
  public long getBacklogBytes() {
    return instances(state.table()).stream()
        .mapToLong(instance -> instance.summary().backlog().bytes())
        .sum();
  }

  @Override
  public JmxStrategySnapshot snapshot() {
    return new JmxStrategySnapshot(snapshotOf(state));
  }

  @Override
  public JmxTableMap tableMap() {
    String name = state.keyspace() + "." + state.name();
    ColumnFamilyStore table = state.table();
    if (table == null) {
      return new JmxTableMap(TableMap.of(name, 0, TableMap.TOKEN, List.of(), List.of()));
    }
    TableMapBuilder picture = new TableMapBuilder(table);
    instances(table).forEach(instance -> instance.draw(picture));
    return new JmxTableMap(picture.map(name));
  }

  @Override
  public boolean stopMerge(String id) {
    ColumnFamilyStore table = state.table();
    boolean found = false;
    for (CompactionInfo.Holder holder : CompactionManager.instance.active.getCompactions()) {
      CompactionInfo info = holder.getCompactionInfo();
      boolean named =
          table != null
              && info.getTableMetadata() != null
              && info.getTableMetadata().id.equals(table.metadata.id)
              && info.getTaskId() != null
              && info.getTaskId().toString().equals(id);
      if (named) {
        holder.stop();
        found = true;
      }
    }
    return found;
  }

  @Override
  public List<String> validate(String options) {
    return state.tunables().faults(options);
  }

  @Override
  public String apply(String options, String expected) {
    try {
      PolicySpec spec = state.tunables().apply(options, expected);
      changed();
      return spec.toString();
    } catch (PolicySpecException e) {
      // The client may lack the plugin's exception class.
      throw new IllegalArgumentException(e.getMessage());
    }
  }

  @Override
  public String revert() {
    PolicySpec spec = state.tunables().revert();
    changed();
    return spec.toString();
  }

  /** Makes all instances use a change of the policy that an operator has made. */
  private void changed() {
    state.tuner().takeSample(Clock.Global.nanoTime());
    state.tuner().follow();
    reconsider(state);
  }

  /** Makes all instances of a table ask their policy again. */
  static void reconsider(TableState state) {
    ColumnFamilyStore table = state.table();
    if (table != null) {
      instances(table).forEach(StrategyInstance::reconsider);
      CompactionManager.instance.submitBackground(table);
    }
  }

  private List<Integer> sum(Function<PlanningSummary, List<Integer>> levels) {
    List<Integer> sum = new ArrayList<>();
    for (StrategyInstance strategy : instances(state.table())) {
      List<Integer> counts = levels.apply(strategy.summary());
      for (int level = 0; level < counts.size(); level++) {
        if (level == sum.size()) {
          sum.add(0);
        }
        sum.set(level, sum.get(level) + counts.get(level));
      }
    }
    return sum;
  }

  /**
   * Returns the instances of {@link StrategyInstance} that a table has; empty if the table is
   * dropped.
   */
  private static List<StrategyInstance> instances(ColumnFamilyStore table) {
    List<StrategyInstance> instances = new ArrayList<>();
    // Cassandra creates the strategies of a table before their manager.
    if (table != null && table.getCompactionStrategyManager() != null) {
      for (List<AbstractCompactionStrategy> group :
          table.getCompactionStrategyManager().getStrategies()) {
        for (AbstractCompactionStrategy strategy : group) {
          if (strategy instanceof StrategyInstance ours) {
            instances.add(ours);
          }
        }
      }
    }
    return instances;
  }

  /** Returns the visible state of a table as of now. */
  public static StrategySnapshot snapshotOf(TableState state) {
    Tunables tunables = state.tunables();
    List<StrategySnapshot.Run> runs = new ArrayList<>();
    List<StrategySnapshot.Segment> segments = new ArrayList<>();
    Set<String> parts = new HashSet<>();
    int plans = 0;
    long bytes = 0;
    long headroom = 0;
    for (StrategyInstance instance : instances(state.table())) {
      StrategyStatus status = instance.status(parts);
      runs.addAll(status.runs());
      segments.addAll(status.segments());
      plans += status.summary().plans();
      bytes += status.summary().backlog().bytes();
      headroom = Math.max(headroom, status.summary().backlog().headroomBytes());
    }
    long live = runs.stream().mapToLong(StrategySnapshot.Run::bytes).sum();
    PolicySpec spec = tunables.current();
    return new StrategySnapshot(
        state.keyspace() + "." + state.name(),
        spec.toString(),
        tunables.schema().toString(),
        StrategySnapshot.Tunable.of(spec, tunables.schema()),
        runs,
        segments,
        state.counters(),
        state.amplification(),
        new StrategySnapshot.Backlog(
            plans,
            bytes,
            state.counts().throughput().seconds(bytes),
            headroom,
            spec.transientBytes(live),
            live,
            DiskRoom.freeBytes(state.table())),
        state.counts().decisions());
  }
}
