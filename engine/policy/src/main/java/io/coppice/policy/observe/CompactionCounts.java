// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import io.coppice.policy.Reason;
import io.coppice.policy.observe.StrategySnapshot.Counter;
import io.coppice.policy.tuner.RungSwitch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * Counters of the compactions of one table or family, with its last decisions. They start at zero.
 * Thread-safe.
 */
public final class CompactionCounts {

  private static final int KEPT_DECISIONS = 100;

  /** Metrics that {@link #add} accepts: those from merges to refused plans. */
  public static final Set<CompactionMetricId> COUNTED =
      Collections.unmodifiableSet(
          EnumSet.range(CompactionMetricId.MERGES, CompactionMetricId.REFUSED_PLANS));

  private final Map<CompactionMetricId, LongAdder> sums = new EnumMap<>(CompactionMetricId.class);
  private final LongAdder rungSwitches = new LongAdder();
  private final CompactionThroughput throughput = new CompactionThroughput();
  private final LongSupplier millis;
  private final Supplier<String> policy;
  private final ObjLongConsumer<CompactionMetricId> storeTotals;

  // Newest first. Guarded by the deque's own monitor.
  private final Deque<StrategySnapshot.Decision> decisions = new ArrayDeque<>(KEPT_DECISIONS + 1);
  private long decided;
  private volatile String lastDecision = "";

  /**
   * Creates counters that start at zero.
   *
   * @param millis returns the time of day in milliseconds since 1970
   * @param policy returns the text of the policy in force
   * @param storeTotals also receives each increment, to count for all families together
   */
  public CompactionCounts(
      LongSupplier millis,
      Supplier<String> policy,
      ObjLongConsumer<CompactionMetricId> storeTotals) {
    this.millis = millis;
    this.policy = policy;
    this.storeTotals = storeTotals;
    COUNTED.forEach(metric -> sums.put(metric, new LongAdder()));
  }

  /** Adds an amount, in the unit of the metric, to a counter of {@link #COUNTED}. */
  public void add(CompactionMetricId metric, long amount) {
    sums.get(metric).add(amount);
    storeTotals.accept(metric, amount);
  }

  /** Returns the sum of all amounts added to a counter of {@link #COUNTED}. */
  public long sum(CompactionMetricId metric) {
    return sums.get(metric).sum();
  }

  /** Counts a durable step of a merge by the bytes on disk that it consumed and wrote. */
  public void countMergeStep(long readBytes, long writtenBytes) {
    add(CompactionMetricId.MERGE_STEPS, 1);
    add(CompactionMetricId.MERGE_READ_BYTES, readBytes);
    add(CompactionMetricId.MERGED_BYTES, writtenBytes);
    throughput.wrote(writtenBytes);
  }

  /** Counts a move and the bytes of its tables. */
  public void countMove(long bytes) {
    add(CompactionMetricId.MOVES, 1);
    add(CompactionMetricId.MOVED_BYTES, bytes);
  }

  /** Counts a delay and the bytes of its tables. */
  public void countDelay(long bytes) {
    add(CompactionMetricId.DELAYS, 1);
    add(CompactionMetricId.DELAYED_BYTES, bytes);
  }

  /** Counts a drop and the bytes of its tables. */
  public void countDrop(long bytes) {
    add(CompactionMetricId.DROPS, 1);
    add(CompactionMetricId.DROPPED_BYTES, bytes);
  }

  /** Returns the throughput of the merges. */
  public CompactionThroughput throughput() {
    return throughput;
  }

  /** Returns the number of rung switches that a tuner made. */
  public long rungSwitches() {
    return rungSwitches.sum();
  }

  /** Returns a new list of all counters, in a fixed order. */
  public List<Counter> counters() {
    List<Counter> counters = new ArrayList<>();
    COUNTED.forEach(metric -> counters.add(new Counter(metric.label(), sum(metric))));
    counters.add(new Counter("Switches", rungSwitches()));
    return counters;
  }

  /**
   * Records a decision, the newest first.
   *
   * @param kind {@code move}, {@code delay}, {@code merge}, {@code drop}, {@code aside} for failed
   *     inputs or {@code switch} for another policy
   * @param sentence the action and its reason
   * @param tables the number of inputs
   * @param bytes the bytes of the inputs
   * @param level the level of the outputs
   */
  public void recordDecision(
      String kind, Reason reason, String sentence, int tables, long bytes, int level) {
    if (reason.code().equals(Reason.READ_REQUEST)) {
      add(CompactionMetricId.READ_MERGES, 1);
    }
    synchronized (decisions) {
      lastDecision = sentence;
      decisions.addFirst(
          new StrategySnapshot.Decision(
              ++decided,
              millis.getAsLong(),
              kind,
              reason.code(),
              sentence,
              tables,
              bytes,
              level,
              reason.cost().transientBytes(),
              policy.get()));
      if (decisions.size() > KEPT_DECISIONS) {
        decisions.removeLast();
      }
    }
  }

  /** Records a change of policy by a tuner, once the new policy is in force. */
  public void recordRungSwitch(RungSwitch made) {
    rungSwitches.increment();
    recordDecision("switch", made.reason(), made.reason().sentence(), 0, 0, 0);
  }

  /** Returns the last hundred decisions, newest first. */
  public List<StrategySnapshot.Decision> decisions() {
    synchronized (decisions) {
      return new ArrayList<>(decisions);
    }
  }

  /** Sets the text of the last decision and leaves {@link #decisions} unchanged. */
  public void lastDecision(String sentence) {
    lastDecision = sentence;
  }

  /** Returns the text of the last decision, or "" before the first. */
  public String lastDecision() {
    return lastDecision;
  }
}
