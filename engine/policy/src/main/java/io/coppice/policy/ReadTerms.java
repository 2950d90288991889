// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * Terms on which {@link ReadBudget} grants the merges requested by reads.
 *
 * @param tableBytes bytes that a lookup is assumed to read from disk in each table beyond the first
 * @param readThousandths share of these bytes that requested merges may read, in thousandths;
 *     besides, they may read as many bytes as are flushed
 */
public record ReadTerms(long tableBytes, long readThousandths) {

  /** Terms of a policy that grants no requests. */
  public static final ReadTerms NONE = new ReadTerms(0, 0);

  /**
   * Returns the number of lookups that pay for a merge: in its tables beyond the first, they read
   * as many bytes as the merge.
   *
   * @param bytes bytes that the merge reads
   * @param tables mean number of tables that a lookup checks
   * @return at least 1; {@link Long#MAX_VALUE} if no number is enough
   */
  public long lookupsFor(long bytes, double tables) {
    double each = (tables - 1) * tableBytes;
    return each <= 0 ? Long.MAX_VALUE : (long) Math.max(1, Math.ceil(bytes / each));
  }
}
