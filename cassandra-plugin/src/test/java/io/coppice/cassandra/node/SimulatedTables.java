// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.step.PlanSearch;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.keys.OlderRanks;
import io.coppice.simulator.store.MergeStepSettings;
import io.coppice.simulator.store.SimulatedStore;
import java.util.List;

/**
 * A simulated store whose tables are given, so that a policy can be asked about the tables of a
 * node. The simulator derives levels, runs and the facts of each table.
 */
public final class SimulatedTables {

  /**
   * A table.
   *
   * @param level its level
   * @param low rank of its first key
   * @param high rank of its last key
   * @param bytes its bytes on disk
   * @param entries its rows, deleted ones included
   * @param deletions deleted rows among the entries
   */
  public record Table(int level, int low, int high, long bytes, int entries, int deletions) {

    /** Returns the same table in another level. */
    public Table at(int other) {
      return new Table(other, low, high, bytes, entries, deletions);
    }
  }

  private final PolicySpec policy;
  private final SimulatedStore<Table> store;
  private final Shape shape;

  /**
   * Creates a store.
   *
   * @param ranks the number of ranks
   * @param oldestFirst its tables, whose ids in the shape count from 1
   */
  public SimulatedTables(PolicySpec policy, int ranks, List<Table> oldestFirst) {
    this.policy = policy;
    store =
        new SimulatedStore<>(
            MergeRule.FREE, new Given(ranks), new MergeStepSettings(policy, Long.MAX_VALUE));
    for (Table table : oldestFirst) {
      store.restore(table.level, List.of(new SimulatedStore.Found<>(List.of(table), 0, 0)));
    }
    shape = store.shape();
  }

  /** Returns the store as a policy sees it. */
  public Shape shape() {
    return shape;
  }

  /** Returns the plan that the simulator would carry out next, with its budget. */
  public PlanSearch.Found next() {
    return store.next(policy.policy(), shape);
  }

  /** The facts of given tables. No table is written, merged or read. */
  private record Given(long ranks) implements ContentModel<Table> {

    @Override
    public int low(Table content) {
      return content.low;
    }

    @Override
    public int high(Table content) {
      return content.high;
    }

    @Override
    public long bytes(Table content) {
      return content.bytes;
    }

    @Override
    public double entries(Table content) {
      return content.entries;
    }

    @Override
    public double deletions(Table content) {
      return content.deletions;
    }

    private static UnsupportedOperationException changes() {
      return new UnsupportedOperationException("the tables are given");
    }

    @Override
    public List<Table> flush() {
      throw changes();
    }

    @Override
    public long userEntries() {
      throw changes();
    }

    @Override
    public double liveEntries() {
      throw changes();
    }

    @Override
    public List<Table> merge(List<Table> newestFirst, OlderRanks older) {
      throw changes();
    }

    @Override
    public Table union(List<Table> newestFirst, OlderRanks older) {
      throw changes();
    }

    @Override
    public Table window(Table content, int low, int high) {
      throw changes();
    }

    @Override
    public int[] cuts(List<Table> contents, int parts) {
      throw changes();
    }

    @Override
    public int lookup() {
      throw changes();
    }

    @Override
    public boolean finds(Table content, int rank) {
      throw changes();
    }
  }
}
