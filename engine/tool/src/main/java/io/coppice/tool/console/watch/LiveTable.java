// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import java.util.Optional;
import javax.management.ObjectName;

/**
 * A table of Cassandra, or a family of a store, at one instant. A table of another strategy has
 * metrics alone. Immutable.
 *
 * @param id unique in its process: {@code keyspace.table}, or {@code store/family}
 * @param kind the kind of its bean
 * @param bean the bean of the strategy or the store's family, or Cassandra's own
 * @param strategy the short name of the compaction strategy, or of the policy of a store
 * @param parameters Cassandra's compaction parameters as JSON; empty for a store
 * @param figures its metrics
 * @param snapshot the snapshot of a Coppice bean; empty for another strategy
 * @param map the table map, if it was requested and the bean supports it
 */
public record LiveTable(
    String id,
    Beans.Kind kind,
    ObjectName bean,
    String strategy,
    String parameters,
    Figures figures,
    Optional<StrategySnapshot> snapshot,
    Optional<TableMap> map) {

  /**
   * Metrics of a table; -1 or NaN if the host does not count them.
   *
   * @param flushedBytes bytes of tables that flushes wrote since the host's counters began
   * @param mergedBytes bytes of tables that merges wrote, since the same time
   * @param mergeReadBytes bytes of tables that merges read, since the same time
   * @param liveBytes current bytes on disk of all tables
   * @param largestRunBytes current bytes on disk of the largest run
   * @param flushes the number of flushes
   * @param reads lookups; for a store, those of all its families
   * @param writes the number of writes
   * @param tablesRead tables that these lookups checked
   * @param tablesPerRead mean tables that a lookup checks, as the host counts it: a store since it
   *     was opened, Cassandra recently
   * @param tables the current number of tables
   * @param runs the current number of runs
   * @param pending plans still wanted
   * @param backlogBytes input bytes of these plans
   * @param readP99Micros the 99th percentile of read latency, in microseconds
   */
  public record Figures(
      long flushedBytes,
      long mergedBytes,
      long mergeReadBytes,
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
      long backlogBytes,
      double readP99Micros) {

    /**
     * Returns the bytes of all runs divided by those of the largest run, or NaN for other
     * strategies. The largest run holds no key twice, so the result is an upper bound of the space
     * amplification.
     */
    public double spaceBound() {
      return ratio(liveBytes, largestRunBytes);
    }
  }

  /** Returns the active policy as text; for another strategy, its parameters as JSON. */
  public String inForce() {
    return snapshot.map(StrategySnapshot::policy).orElse(parameters);
  }

  /**
   * Returns the host's write amplification since its counters began: bytes flushed and merged per
   * byte flushed. For another strategy it is computed from Cassandra's counters, and is NaN before
   * the first flush.
   */
  public double writeAmplification() {
    return snapshot
        .map(of -> of.amplification().write())
        .orElseGet(
            () -> ratio(figures.flushedBytes() + figures.mergedBytes(), figures.flushedBytes()));
  }

  /** Returns whether a Coppice policy controls the table. */
  public boolean ours() {
    return snapshot.isPresent();
  }

  private static double ratio(double a, double b) {
    return b <= 0 || a < 0 ? Double.NaN : a / b;
  }
}
