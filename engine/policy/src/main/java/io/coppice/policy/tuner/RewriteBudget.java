// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.Budget;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Rewrite budget of one family or table after a policy switch: the allowance and the merge bytes
 * already begun. A {@link Tuner} and its host's planner share it. Thread-safe.
 */
public final class RewriteBudget {

  private final LongSupplier flushedBytes;
  private final AtomicLong begunBytes = new AtomicLong();
  private volatile RewriteAllowance allowance = RewriteAllowance.ANY;

  /**
   * Creates a budget without a limit.
   *
   * @param flushedBytes supplies the bytes that all flushes have written by now
   */
  public RewriteBudget(LongSupplier flushedBytes) {
    this.flushedBytes = flushedBytes;
  }

  /** Sets the current allowance. */
  public void allow(RewriteAllowance next) {
    allowance = next;
  }

  /** Returns the current allowance, {@link RewriteAllowance#ANY} before the first switch. */
  public RewriteAllowance allowance() {
    return allowance;
  }

  /**
   * Records the start of a merge that the policy chose by itself. If a merge ends early, its
   * remainder counts again when it is planned again.
   *
   * @param bytes input bytes of the merge
   */
  public void charge(long bytes) {
    begunBytes.addAndGet(bytes);
  }

  /** Returns the input bytes of all recorded merges together. */
  public long begunBytes() {
    return begunBytes.get();
  }

  /** Returns the bytes that all flushes have written by now. */
  public long flushedBytes() {
    return flushedBytes.getAsLong();
  }

  /**
   * Returns the input bytes that merges may still read, for {@link Budget#rewriteBytes}: at least
   * 0, {@link Long#MAX_VALUE} before the first switch.
   */
  public long remaining() {
    return allowance.remaining(flushedBytes.getAsLong(), begunBytes.get());
  }

  /**
   * Returns whether the policy wants a plan but the budget covers none. The change to the new
   * arrangement then waits until flushes pay for it, so it is no backlog.
   */
  public boolean isExhaustedFor(Policy policy, Shape shape) {
    long left = remaining();
    return left < Long.MAX_VALUE
        && policy.next(shape, new Budget(1, Long.MAX_VALUE, left)).isEmpty()
        && policy.next(shape, Budget.unlimited()).isPresent();
  }
}
