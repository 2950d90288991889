// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.Store;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.tuner.RewriteAllowance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measurement of the cost of a store's rung switches, while one thread works on the store. Used by
 * that thread.
 *
 * <p>Bytes follow the store's own account, see {@link RewriteAllowance}, except that the remaining
 * allowance may fall below 0 here. The result is the bytes that merges have read since the switch
 * minus those that later flushes pay for; the maximum counts. While an allowance remains, the
 * decision states it and the figure is exact. Afterwards, flushed bytes come from the previous
 * check, so the figure may be too high but is never too low.
 */
final class SwitchWatch {

  /** Time after a switch during which an operation counts as affected. */
  private static final long AROUND_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Shortest operation that counts as a wait. */
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final double MILLION = 1e6;

  /** Start and end of an operation that took at least {@link #MIN_NANOS}. */
  private record Slow(long fromNanos, long toNanos) {}

  /** Account of the bytes that merges read because of the newest switch. */
  static final class Account {
    private DecisionJournal.FamilySwitch newest;
    private long readBytes;
    private long maxBytes;

    /**
     * Adds the next decision.
     *
     * @param switches all switches to date, in order
     * @param flushed bytes that all flushes had written at some time before the decision
     */
    void add(Decision decision, List<DecisionJournal.FamilySwitch> switches, long flushed) {
      for (DecisionJournal.FamilySwitch one : switches) {
        if (one.after() < decision.sequence() && (newest == null || one.after() > newest.after())) {
          newest = one;
          readBytes = 0;
        }
      }
      if (newest == null || !(decision.plan().orElse(null) instanceof Plan.Merge merge)) {
        return;
      }
      RewriteAllowance allowance = newest.made().allowance();
      long reads = merge.reason().cost().readBytes();
      readBytes += reads;
      long left = decision.budget().rewriteBytes();
      double paid = allowance.paid() * Math.max(0, flushed - allowance.flushedAt());
      long spent =
          left > 0 && left < Long.MAX_VALUE
              ? allowance.bytes() - left + reads
              : readBytes - (long) paid;
      maxBytes = Math.max(maxBytes, spent);
    }

    /** Returns the most bytes that merges read because of one switch. */
    long maxBytes() {
      return maxBytes;
    }
  }

  private final Store store;
  private final long liveBytes;
  private final int switchesBefore;
  private final List<Slow> slow = new ArrayList<>();
  private long checkAt;
  private long lastDecision;

  private final Account account = new Account();

  /** Bytes flushed at the previous check. */
  private long flushedBytes;

  /**
   * Begins the measurement now and ignores earlier switches.
   *
   * @param liveBytes bytes of tables that hold each key once; the result gives bytes read by merges
   *     as a multiple of them
   */
  SwitchWatch(Store store, long liveBytes) {
    this.store = store;
    this.liveBytes = liveBytes;
    switchesBefore = store.switches().size();
    checkAt = System.nanoTime();
  }

  /**
   * Records an operation that has ended, if it took at least {@link #MIN_NANOS}. Both times are
   * those of {@link System#nanoTime}.
   */
  void operation(long fromNanos, long toNanos) {
    if (toNanos - fromNanos >= MIN_NANOS) {
      slow.add(new Slow(fromNanos, toNanos));
    }
  }

  /**
   * Examines the decisions that the store has made since the last call, at most once every 100 ms.
   * The store keeps its decisions for longer than that.
   */
  void check(long nowNanos) {
    if (nowNanos - checkAt >= 0) {
      checkAt = nowNanos + CHECK_NANOS;
      count();
    }
  }

  private List<DecisionJournal.FamilySwitch> switches() {
    List<DecisionJournal.FamilySwitch> all = store.switches();
    return all.subList(switchesBefore, all.size());
  }

  private void count() {
    List<DecisionJournal.FamilySwitch> switches = switches();
    long flushed = store.stats().flushedBytes();
    for (Decision decision : switches.isEmpty() ? List.<Decision>of() : store.decisions()) {
      if (decision.sequence() > lastDecision) {
        lastDecision = decision.sequence();
        account.add(decision, switches, flushedBytes);
      }
    }
    flushedBytes = flushed;
  }

  /** Ends the measurement, and returns the costs of all switches since its start. */
  Outcome.Switches end() {
    count();
    List<DecisionJournal.FamilySwitch> switches = switches();
    long longest = 0;
    for (Slow one : slow) {
      if (switches.stream().anyMatch(other -> isAround(one, other.made().nanos()))) {
        longest = Math.max(longest, one.toNanos() - one.fromNanos());
      }
    }
    return new Outcome.Switches(
        switches.size(), (double) account.maxBytes() / liveBytes, longest / MILLION);
  }

  private static boolean isAround(Slow one, long switchNanos) {
    return one.toNanos() - switchNanos >= 0 && one.fromNanos() - switchNanos <= AROUND_NANOS;
  }
}
