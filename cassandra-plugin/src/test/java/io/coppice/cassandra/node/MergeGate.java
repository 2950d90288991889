// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import io.coppice.cassandra.sstable.PurgeRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Gate before the steps of a table's merges. A test thus decides how far a merge has come when
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

  // The consumed inputs of each step that is held, the longest held first.
  private final List<Set<SSTableReader>> held = new ArrayList<>();

  private MergeGate(String table, int passes) {
    this.table = table;
    this.passes = passes;
  }

  /**
   * Holds the steps of a table's merges after the given number of steps. {@link #close} lets all
   * steps pass.
   *
   * @param steps number of steps that pass first
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
  public synchronized boolean isHolding() {
    return !held.isEmpty();
  }

  /** Lets the step that is held longest pass, or the next one to arrive if none is held. */
  public synchronized void passNext() {
    if (held.isEmpty()) {
      passes = 1;
    } else {
      held.remove(0);
    }
  }

  /** Lets all steps pass. */
  public synchronized void open() {
    open = true;
    held.clear();
  }

  /** Returns whether a step of the operation is held. */
  public synchronized boolean holds(CompactionInfo operation) {
    return held.stream().anyMatch(consumed -> includes(operation, consumed));
  }

  @Override
  public void close() {
    open();
    GATES.remove(table, this);
  }

  private void pass(Set<SSTableReader> consumed) {
    if (mustWait(consumed)) {
      try {
        Node.await(
            "the gate of " + table + " to open", () -> isStopped(consumed) || !isHeld(consumed));
      } finally {
        forget(consumed);
      }
    }
  }

  private synchronized boolean mustWait(Set<SSTableReader> consumed) {
    if (open) {
      return false;
    }
    if (passes > 0) {
      passes--;
      return false;
    }
    held.add(consumed);
    return true;
  }

  private synchronized boolean isHeld(Set<SSTableReader> consumed) {
    return held.stream().anyMatch(one -> one == consumed);
  }

  private synchronized void forget(Set<SSTableReader> consumed) {
    held.removeIf(one -> one == consumed);
  }

  private static boolean isStopped(Set<SSTableReader> consumed) {
    return CompactionManager.instance.active.getCompactions().stream()
        .filter(CompactionInfo.Holder::isStopRequested)
        .anyMatch(one -> includes(one.getCompactionInfo(), consumed));
  }

  private static boolean includes(CompactionInfo operation, Set<SSTableReader> consumed) {
    return !consumed.isEmpty() && operation.getSSTables().containsAll(consumed);
  }
}
