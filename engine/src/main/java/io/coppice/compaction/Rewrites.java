// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.policy.Allowance;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What merges of one family may still read while it takes on the form of another policy, and what
 * they have begun to read. Safe to share between threads.
 */
public final class Rewrites {

  private final LongSupplier flushedBytes;
  private final AtomicLong begunBytes = new AtomicLong();
  private volatile Allowance allowance = Allowance.ANY;

  /**
   * Any for now.
   *
   * @param flushedBytes bytes of all tables that flushes of the family made
   */
  public Rewrites(LongSupplier flushedBytes) {
    this.flushedBytes = flushedBytes;
  }

  /** Puts another allowance in force. */
  public void allow(Allowance next) {
    allowance = next;
  }

  /**
   * Input bytes of all merges begun, but for those of majors. What a merge left that ended early
   * counts once more when it is planned anew.
   */
  public long begunBytes() {
    return begunBytes.get();
  }

  void begun(long bytes) {
    begunBytes.addAndGet(bytes);
  }

  /** What is left, for {@link io.coppice.policy.Budget#rewriteBytes}. */
  long left() {
    return allowance.left(flushedBytes.getAsLong(), begunBytes.get());
  }
}
