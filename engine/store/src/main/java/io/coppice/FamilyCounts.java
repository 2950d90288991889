// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.context.CompactionListener;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.CompactionThroughput;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.write.family.FamilyWriteState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counters of the compactions of one family, with its last decisions. Passes each event on to the
 * store's listener. Safe to share between threads.
 */
final class FamilyCounts implements CompactionListener {

  private static final int KEPT_DECISIONS = 100;

  final LongAdder merges = new LongAdder();
  final LongAdder mergeSteps = new LongAdder();
  final LongAdder mergeReadBytes = new LongAdder();
  final LongAdder mergedBytes = new LongAdder();
  final LongAdder moves = new LongAdder();
  final LongAdder movedBytes = new LongAdder();
  final LongAdder delays = new LongAdder();
  final LongAdder delayedBytes = new LongAdder();
  final LongAdder drops = new LongAdder();
  final LongAdder droppedBytes = new LongAdder();
  final LongAdder readMerges = new LongAdder();
  final LongAdder failedPlans = new LongAdder();
  final LongAdder refusedPlans = new LongAdder();
  final LongAdder switches = new LongAdder();
  final CompactionThroughput pace = new CompactionThroughput();

  private final FamilyWriteState written;
  private final CompactionListener store;
  private final LongSupplier millis;

  /** Text of the policy in force. */
  private volatile String policy = "";

  /** Metrics to notify, or null before they are set. */
  private volatile @Nullable FamilyMetrics figures;

  // Guarded by itself; newest first.
  private final Deque<StrategySnapshot.Decision> decisions = new ArrayDeque<>(KEPT_DECISIONS + 1);
  private long decided;

  /**
   * Creates counters that start at zero.
   *
   * @param millis the time of day in milliseconds since 1970
   */
  FamilyCounts(FamilyWriteState written, CompactionListener store, LongSupplier millis) {
    this.written = written;
    this.store = store;
    this.millis = millis;
  }

  /** Sets the text of the policy in force. */
  void policy(String text) {
    policy = text;
  }

  /** Sets the metrics that are notified of each flush and merge step. */
  void figures(FamilyMetrics ofFamily) {
    figures = ofFamily;
  }

  /** Notifies the metrics of a finished flush or merge step. */
  void written() {
    FamilyMetrics told = figures;
    if (told != null) {
      told.written();
    }
  }

  /** Returns the last hundred decisions, newest first. */
  List<StrategySnapshot.Decision> decisions() {
    synchronized (decisions) {
      return new ArrayList<>(decisions);
    }
  }

  @Override
  public void begun(Plan plan, long bytes) {
    Reason reason = plan.reason();
    if (plan instanceof Plan.Merge) {
      merges.increment();
    }
    if (reason.code().equals(Reason.READ_REQUEST)) {
      readMerges.increment();
    }
    int level = plan instanceof Plan.Placing placing ? placing.target().level() : 0;
    decided(kind(plan), reason, plan.slices().size(), bytes, level);
    store.begun(plan, bytes);
  }

  /** Records a policy change by a tuner; {@link #policy} has set the new policy before. */
  void switched(RungSwitch made) {
    switches.increment();
    decided("switch", made.reason(), 0, 0, 0);
  }

  private void decided(String kind, Reason reason, int tables, long bytes, int level) {
    synchronized (decisions) {
      decisions.addFirst(
          new StrategySnapshot.Decision(
              ++decided,
              millis.getAsLong(),
              kind,
              reason.code(),
              reason.sentence(),
              tables,
              bytes,
              level,
              reason.cost().transientBytes(),
              policy));
      if (decisions.size() > KEPT_DECISIONS) {
        decisions.removeLast();
      }
    }
  }

  private static String kind(Plan plan) {
    if (plan instanceof Plan.Merge) {
      return "merge";
    }
    if (plan instanceof Plan.Move) {
      return "move";
    }
    return plan instanceof Plan.Delay ? "delay" : "drop";
  }

  @Override
  public void rearranged(Plan plan, long bytes) {
    if (plan instanceof Plan.Move) {
      moves.increment();
      movedBytes.add(bytes);
    } else if (plan instanceof Plan.Delay) {
      delays.increment();
      delayedBytes.add(bytes);
    } else {
      drops.increment();
      droppedBytes.add(bytes);
    }
    store.rearranged(plan, bytes);
  }

  @Override
  public void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos) {
    mergeSteps.increment();
    mergeReadBytes.add(bytesRead);
    mergedBytes.add(bytesWritten);
    pace.worked(nanos);
    pace.wrote(bytesWritten);
    written();
    store.merged(plan, bytesRead, bytesWritten, nanos);
  }

  @Override
  public void stuck(String why) {
    written.mergesStuck(why);
    store.stuck(why);
  }

  @Override
  public void failed(String what, Throwable cause) {
    failedPlans.increment();
    if (cause instanceof IllegalArgumentException) {
      refusedPlans.increment();
    }
    written.mergeFailed(cause);
    store.failed(what, cause);
  }
}
