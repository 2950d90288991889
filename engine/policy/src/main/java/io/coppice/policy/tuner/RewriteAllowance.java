// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.Budget;

/**
 * Input bytes that merges may read after a policy switch. The limit spreads the change to the new
 * arrangement over time. A switch grants an amount at once. For each byte flushed from then on, it
 * adds the bytes that the new policy needs to merge it. The host keeps the counters of flushed and
 * merged bytes, which only grow.
 *
 * @param bytes granted bytes, including those that flushes earned at earlier rates
 * @param paid merge input bytes granted for each byte flushed
 * @param flushedAt bytes that all flushes had written when that rate began
 * @param mergedAt input bytes of all merges that began before the switch
 */
public record RewriteAllowance(long bytes, double paid, long flushedAt, long mergedAt) {

  /** Allowance without a limit, used before the first switch. */
  public static final RewriteAllowance ANY = new RewriteAllowance(Long.MAX_VALUE, 0, 0, 0);

  /**
   * Returns this allowance with another rate for bytes flushed from now on, or this allowance
   * itself if it is unlimited or nothing was flushed since its rate began.
   *
   * @param rate merge input bytes for each byte flushed
   * @param flushedBytes bytes flushed by now
   */
  RewriteAllowance paying(double rate, long flushedBytes) {
    return bytes == Long.MAX_VALUE || flushedBytes <= flushedAt
        ? this
        : new RewriteAllowance(bytes + earned(flushedBytes), rate, flushedBytes, mergedAt);
  }

  private long earned(long flushedBytes) {
    return (long) (paid * (flushedBytes - flushedAt));
  }

  /**
   * Returns the remaining input bytes, at least 0, for {@link Budget#rewriteBytes}.
   *
   * @param flushedBytes bytes flushed by now
   * @param mergedBytes input bytes of merges begun by now
   */
  public long remaining(long flushedBytes, long mergedBytes) {
    if (bytes == Long.MAX_VALUE) {
      return bytes;
    }
    return Math.max(0, bytes + earned(flushedBytes) - (mergedBytes - mergedAt));
  }
}
