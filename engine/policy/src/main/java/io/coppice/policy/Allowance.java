// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What merges may read after a switch, so that a store takes on its new form by and by: an amount
 * at once, and for each byte that is flushed from then on, what the new policy needs to merge it.
 * Both counters are the host's and only grow.
 *
 * @param bytes the amount, with what flushes have paid at other rates
 * @param paid bytes of merging for each byte flushed
 * @param flushedAt bytes flushed when that rate began
 * @param mergedAt input bytes of merges begun before the switch
 */
public record Allowance(long bytes, double paid, long flushedAt, long mergedAt) {

  /** There was no switch yet. */
  public static final Allowance ANY = new Allowance(Long.MAX_VALUE, 0, 0, 0);

  /**
   * The same with another rate for what is flushed from now on; itself if nothing was flushed.
   *
   * @param flushedBytes bytes flushed by now
   */
  Allowance paying(double rate, long flushedBytes) {
    return bytes == Long.MAX_VALUE || flushedBytes <= flushedAt
        ? this
        : new Allowance(bytes + earned(flushedBytes), rate, flushedBytes, mergedAt);
  }

  private long earned(long flushedBytes) {
    return (long) (paid * (flushedBytes - flushedAt));
  }

  /**
   * What is left of it, for {@link Budget#rewriteBytes}.
   *
   * @param flushedBytes bytes flushed by now
   * @param mergedBytes input bytes of merges begun by now
   */
  public long left(long flushedBytes, long mergedBytes) {
    if (bytes == Long.MAX_VALUE) {
      return bytes;
    }
    return Math.max(0, bytes + earned(flushedBytes) - (mergedBytes - mergedAt));
  }
}
