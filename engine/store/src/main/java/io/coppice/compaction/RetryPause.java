// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Failure of a family's last plan, and the pause before the next plan. Guarded by the compactor's
 * lock.
 *
 * <p>The pause doubles with each failure. A merge that lacked disk space is different: after a
 * short pause, the policy plans without its tables, because another merge may need less space or
 * free some. If the policy then has no plan, the longer pause begins. After it, all tables may be
 * planned again.
 */
final class RetryPause {

  private static final long MIN_NANOS = 100_000_000L;
  private static final long MAX_NANOS = 60_000_000_000L;

  private @Nullable Throwable failure;

  /** Length of the present pause in nanoseconds; 0 means none. */
  private long nanos;

  /** Time when the present pause began, in nanoseconds of the workers' clock. */
  private long startNanos;

  /** Nanoseconds of the last pause after which all plans were tried again; 0 before the first. */
  private long lastFullNanos;

  /** Numbers of tables whose merges lacked disk space. */
  private final Set<Long> refused = new HashSet<>();

  /**
   * Records a failure and begins a pause, twice as long as the last one, up to a minute.
   *
   * @param now nanoseconds of the workers' clock
   */
  void failed(Throwable problem, long now) {
    failure = problem;
    beginFull(now);
  }

  private void beginFull(long now) {
    lastFullNanos = Math.min(Math.max(MIN_NANOS, lastFullNanos * 2), MAX_NANOS);
    nanos = lastFullNanos;
    startNanos = now;
  }

  /**
   * Records a merge that lacked disk space and begins a short pause.
   *
   * @param claimed numbers of the merge's tables
   */
  void refused(Throwable problem, Set<Long> claimed, long now) {
    failure = problem;
    refused.addAll(claimed);
    nanos = MIN_NANOS;
    startNanos = now;
  }

  /** Returns the numbers of the tables that the next plan leaves out; the set is live. */
  Set<Long> refusedTables() {
    return refused;
  }

  /**
   * Begins the longer pause, because the policy plans nothing apart from the refused tables.
   * Afterwards no table is refused.
   *
   * @return whether a table was refused; otherwise no pause begins
   */
  boolean restsForSpace(long now) {
    if (refused.isEmpty()) {
      return false;
    }
    refused.clear();
    beginFull(now);
    return true;
  }

  /** Clears the failure and the pause after a plan was carried out. */
  void recovered() {
    failure = null;
    end();
  }

  /** Ends the pause now. The failure stays until it is reported. */
  void end() {
    nanos = 0;
    lastFullNanos = 0;
    refused.clear();
  }

  /** Returns the failure of the last plan, or null if it was carried out. */
  @Nullable Throwable failure() {
    return failure;
  }

  /**
   * Returns the remaining pause in nanoseconds: 0 or less once it is over, {@link Long#MAX_VALUE}
   * if there is none.
   */
  long leftNanos(long now) {
    return nanos == 0 ? Long.MAX_VALUE : startNanos + nanos - now;
  }
}
