// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.context.CompactionListener;
import io.coppice.policy.Plan;

/**
 * Listener of the compactor that counts its events and wakes waiting writers. Safe to share between
 * threads.
 */
final class CompactionEvents implements CompactionListener {

  private final StoreParts parts;

  CompactionEvents(StoreParts parts) {
    this.parts = parts;
  }

  @Override
  public void rearranged(Plan plan, long bytes) {
    if (plan instanceof Plan.Move) {
      parts.metrics.moves.inc();
      parts.metrics.movedBytes.inc(bytes);
    } else if (plan instanceof Plan.Delay) {
      parts.metrics.delays.inc();
      parts.metrics.delayedBytes.inc(bytes);
    } else {
      parts.metrics.drops.inc();
      parts.metrics.droppedBytes.inc(bytes);
    }
    parts.writes.signal();
  }

  @Override
  public void stuck(String why) {
    parts.writes.signal();
  }

  @Override
  public void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos) {
    parts.metrics.mergeSteps.inc();
    parts.metrics.mergeReadBytes.inc(bytesRead);
    parts.metrics.mergedBytes.inc(bytesWritten);
    parts.writes.signal();
  }

  @Override
  public void failed(String what, Throwable cause) {
    parts.metrics.failedPlans.inc();
    StoreParts.log(System.Logger.Level.ERROR, "a plan failed: " + what, cause);
    parts.writes.signal();
  }
}
