// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.context.CompactionListener;
import io.coppice.entry.StoreClock;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.CompactionCounts;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.write.family.FamilyWriteState;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Listener of the compactor that counts the compactions of one family and wakes waiting writers.
 * Safe to share between threads.
 */
final class FamilyCounts implements CompactionListener {

  private final FamilyWriteState written;
  private final Runnable wakeWriters;
  private final CompactionCounts sums;

  /** Text of the policy in force. */
  private volatile String policy = "";

  /** Metrics to notify, or null before they are set. */
  private volatile @Nullable FamilyMetrics figures;

  /**
   * Creates counters that start at zero.
   *
   * @param written is told of failed and stuck merges
   * @param store receives each count too, for the sums over all families
   */
  FamilyCounts(
      FamilyWriteState written, ObjLongConsumer<CompactionMetricId> store, Runnable wakeWriters) {
    this.written = written;
    this.wakeWriters = wakeWriters;
    this.sums = new CompactionCounts(StoreClock.SYSTEM, () -> policy, store);
  }

  /** Returns the counters and the last decisions. */
  CompactionCounts sums() {
    return sums;
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
    FamilyMetrics metrics = figures;
    if (metrics != null) {
      metrics.written();
    }
  }

  @Override
  public void begun(Plan plan, long bytes) {
    Reason reason = plan.reason();
    if (plan instanceof Plan.Merge) {
      sums.add(CompactionMetricId.MERGES, 1);
    }
    int level = plan instanceof Plan.Placing placing ? placing.target().level() : 0;
    sums.recordDecision(kind(plan), reason, reason.sentence(), plan.slices().size(), bytes, level);
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
      sums.countMove(bytes);
    } else if (plan instanceof Plan.Delay) {
      sums.countDelay(bytes);
    } else {
      sums.countDrop(bytes);
    }
    wakeWriters.run();
  }

  @Override
  public void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos) {
    sums.throughput().worked(nanos);
    sums.countMergeStep(bytesRead, bytesWritten);
    written();
    wakeWriters.run();
  }

  @Override
  public void stuck(String why) {
    written.mergesStuck(why);
    wakeWriters.run();
  }

  @Override
  public void failed(String what, Throwable cause) {
    sums.add(CompactionMetricId.FAILED_PLANS, 1);
    if (cause instanceof IllegalArgumentException) {
      sums.add(CompactionMetricId.REFUSED_PLANS, 1);
    }
    written.mergeFailed(cause);
    StoreParts.log(System.Logger.Level.ERROR, "a plan failed: " + what, cause);
    wakeWriters.run();
  }
}
