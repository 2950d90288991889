// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import io.coppice.cassandra.sstable.PurgeRule;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Gate before the steps of a table's merges. A test thus decides where a merge stands while
 * something else happens. A held step has its claim and has read nothing.
 *
 * <p>The gate is a {@link #rule} for purging, which each step asks first. A table has that rule if
 * its strategy is {@link GatedForestStrategy}. A step that is stopped passes the gate.
 */
public final class MergeGate implements AutoCloseable {

  private static final Map<String, MergeGate> GATES = new ConcurrentHashMap<>();

  private final String table;

  // Steps that may still pass before the next one is held.
  private int passes;
  private boolean open;

  // The consumed inputs of the step that is held; empty if none is.
  private volatile Set<SSTableReader> held = Set.of();

  private MergeGate(String table, int passes) {
    this.table = table;
    this.passes = passes;
  }

  /**
   * Holds the steps of a table's merges once so many of them have passed. Closing the gate object
   * lets all steps pass for good.
   *
   * @param table a table of the keyspace ks
   */
  public static MergeGate after(int steps, String table) {
    MergeGate gate = new MergeGate(table, steps);
    if (GATES.putIfAbsent(table, gate) != null) {
      throw new IllegalStateException(table + " has a gate already");
    }
    return gate;
  }

  /**
   * Returns the exact rule, asked only once a step has passed the table's gate, if there is one.
   */
  public static PurgeRule rule(String table) {
    return new PurgeRule() {
      @Override
      public Set<SSTableReader> merged(
          Set<SSTableReader> consumed, Set<SSTableReader> straddlers, Set<SSTableReader> later) {
        MergeGate gate = GATES.get(table);
        if (gate != null) {
          gate.pass(consumed);
        }
        return EXACT.merged(consumed, straddlers, later);
      }

      @Override
      public LongPredicate within(
          DecoratedKey key, LongPredicate stock, Set<SSTableReader> straddlers) {
        return EXACT.within(key, stock, straddlers);
      }
    };
  }

  /** Waits until a step is held. */
  public void awaitHeld() {
    Node.await("a step of " + table + " at the gate", this::isHolding);
  }

  /** Returns whether a step is held. */
  public boolean isHolding() {
    return !held.isEmpty();
  }

  /** Lets the step that is held pass; the next one is held. */
  public synchronized void passNext() {
    held = Set.of();
    passes = 1;
  }

  /** Lets all steps pass. */
  public synchronized void open() {
    open = true;
  }

  /** Returns whether a step of the operation is held. */
  public boolean holds(CompactionInfo operation) {
    Set<SSTableReader> inputs = held;
    return !inputs.isEmpty() && operation.getSSTables().containsAll(inputs);
  }

  @Override
  public void close() {
    open();
    GATES.remove(table, this);
  }

  private void pass(Set<SSTableReader> consumed) {
    if (!mayPass()) {
      held = consumed;
      Node.await("the gate of " + table + " to open", () -> isStopped() || mayPass());
      held = Set.of();
    }
  }

  private synchronized boolean mayPass() {
    if (!open && passes == 0) {
      return false;
    }
    passes = Math.max(0, passes - 1);
    return true;
  }

  private boolean isStopped() {
    return CompactionManager.instance.active.getCompactions().stream()
        .anyMatch(one -> one.isStopRequested() && holds(one.getCompactionInfo()));
  }
}
