// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.StrategySnapshot;
import io.coppice.policy.TableMap;
import java.util.Optional;
import javax.management.ObjectName;

/**
 * A table of Cassandra or a family of a store at one instant: what can be known of both, and of a
 * table whose strategy is not ours only the figures. A value.
 *
 * @param id unique in its process: {@code keyspace.table}, or {@code store/family}
 * @param kind of its bean
 * @param bean of the strategy or the store's family, or Cassandra's own
 * @param strategy the short name of the compaction strategy, or of the policy of a store
 * @param parameters of compaction in Cassandra, as JSON; empty in a store
 * @param figures what has been counted
 * @param snapshot of our own bean
 * @param map of our own bean, where it was asked for it; one that does not have it leaves it out
 */
record LiveTable(
    String id,
    Beans.Kind kind,
    ObjectName bean,
    String strategy,
    String parameters,
    Figures figures,
    Optional<StrategySnapshot> snapshot,
    Optional<TableMap> map) {

  /**
   * What has been counted, by whom else; -1, or not a number, where nobody does.
   *
   * @param flushedBytes bytes of tables that flushes wrote
   * @param mergedBytes bytes of tables that merges wrote
   * @param liveBytes bytes of all tables now
   * @param largestRunBytes bytes of the largest run now
   * @param flushes flushes
   * @param reads lookups; of the whole store in a store
   * @param writes writes
   * @param tablesRead tables that these lookups looked into
   * @param tablesPerRead tables that a lookup looks into, as the host counts it: a store since it
   *     was opened, Cassandra of late
   * @param tables how many there are now
   * @param runs runs now
   * @param pending plans still wanted
   * @param debtBytes input bytes of these
   * @param readP99Micros within which 99 in a hundred reads stayed
   */
  record Figures(
      long flushedBytes,
      long mergedBytes,
      long liveBytes,
      long largestRunBytes,
      long flushes,
      long reads,
      long writes,
      long tablesRead,
      double tablesPerRead,
      long tables,
      long runs,
      long pending,
      long debtBytes,
      double readP99Micros) {}

  /** The policy in force as text; of a strategy that is not ours its parameters, as JSON. */
  String inForce() {
    return snapshot.map(StrategySnapshot::policy).orElse(parameters);
  }

  /**
   * Returns the host's own write amplification, since its counters began; of a strategy that is not
   * ours from Cassandra's counters, and not a number before the first flush.
   */
  double writeAmplification() {
    return snapshot
        .map(of -> of.amplification().write())
        .orElseGet(
            () ->
                Answers.ratio(
                    figures.flushedBytes() + figures.mergedBytes(), figures.flushedBytes()));
  }

  /** True if one of our policies decides over it. */
  boolean ours() {
    return snapshot.isPresent();
  }
}
