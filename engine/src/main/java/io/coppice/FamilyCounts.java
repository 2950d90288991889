// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.CompactionListener;
import io.coppice.policy.Plan;
import java.util.concurrent.atomic.LongAdder;

/** Counts what compaction does in one family, and passes it on. Safe to share between threads. */
final class FamilyCounts implements CompactionListener {

  final LongAdder mergeSteps = new LongAdder();
  final LongAdder mergeReadBytes = new LongAdder();
  final LongAdder mergedBytes = new LongAdder();
  final LongAdder moves = new LongAdder();
  final LongAdder delays = new LongAdder();
  final LongAdder drops = new LongAdder();
  final LongAdder failedPlans = new LongAdder();

  private final CompactionListener store;

  FamilyCounts(CompactionListener store) {
    this.store = store;
  }

  @Override
  public void rearranged(Plan plan, long bytes) {
    LongAdder counter =
        plan instanceof Plan.Move ? moves : plan instanceof Plan.Delay ? delays : drops;
    counter.increment();
    store.rearranged(plan, bytes);
  }

  @Override
  public void merged(Plan.Merge plan, long bytesRead, long bytesWritten) {
    mergeSteps.increment();
    mergeReadBytes.add(bytesRead);
    mergedBytes.add(bytesWritten);
    store.merged(plan, bytesRead, bytesWritten);
  }

  @Override
  public void failed(String what, Throwable cause) {
    failedPlans.increment();
    store.failed(what, cause);
  }
}
