// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What merges of one family or table may still read while it takes on the form of another policy,
 * and what they have begun to read: the account that a {@link Tuner} and the planner of its host
 * share. Safe to share between threads.
 */
public final class Rewrites {

  private final LongSupplier flushedBytes;
  private final AtomicLong begunBytes = new AtomicLong();
  private volatile Allowance allowance = Allowance.ANY;

  /**
   * Any for now.
   *
   * @param flushedBytes bytes of all tables that flushes made, as the host knows by now
   */
  public Rewrites(LongSupplier flushedBytes) {
    this.flushedBytes = flushedBytes;
  }

  /** Puts another allowance in force. */
  public void allow(Allowance next) {
    allowance = next;
  }

  /** The one in force. */
  public Allowance allowance() {
    return allowance;
  }

  /**
   * A merge was begun that the policy chose by itself. What one leaves that ends early counts once
   * more when it is planned anew.
   *
   * @param bytes of its inputs
   */
  public void begun(long bytes) {
    begunBytes.addAndGet(bytes);
  }

  /** Input bytes of all merges begun so. */
  public long begunBytes() {
    return begunBytes.get();
  }

  /** What is left, for {@link Budget#rewriteBytes}. */
  public long left() {
    return allowance.left(flushedBytes.getAsLong(), begunBytes.get());
  }

  /**
   * True if there is something that the policy wants, and all of it is more than is left: a change
   * of form leaves it undone until flushes pay for it, so it is no backlog.
   */
  public boolean coverNothing(Policy policy, Shape shape) {
    long left = left();
    return left < Long.MAX_VALUE
        && policy.next(shape, new Budget(1, Long.MAX_VALUE, left)).isEmpty()
        && policy.next(shape, Budget.unlimited()).isPresent();
  }
}
