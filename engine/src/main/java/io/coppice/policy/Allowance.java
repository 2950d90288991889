// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What merges may read after a switch, so that a store takes on its new form by and by: an amount
 * at once, and for each byte that is flushed from then on, what the new policy needs to merge it.
 * Both counters are the host's and only grow.
 *
 * @param bytes the amount
 * @param paid bytes of merging for each byte flushed
 * @param flushedAt bytes flushed when it began
 * @param mergedAt input bytes of merges begun by then
 */
public record Allowance(long bytes, double paid, long flushedAt, long mergedAt) {

  /** There was no switch yet. */
  public static final Allowance ANY = new Allowance(Long.MAX_VALUE, 0, 0, 0);

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
    double earned = paid * (flushedBytes - flushedAt);
    return Math.max(0, bytes + (long) earned - (mergedBytes - mergedAt));
  }
}
