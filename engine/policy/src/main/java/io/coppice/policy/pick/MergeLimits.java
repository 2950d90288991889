// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

/**
 * Limits of every merge of a policy in its host.
 *
 * @param tableBytes size that outputs are cut to, in bytes on disk
 * @param cleaningThreshold output tables after which a merge releases the inputs it has consumed; 0
 *     if the host releases them only at the end
 * @param maxLevel the deepest level of the host, inclusive
 * @param entryBytes least bytes that policies count for each entry when they look for small tables;
 *     0 if only the bytes of a table count
 */
public record MergeLimits(long tableBytes, int cleaningThreshold, int maxLevel, int entryBytes) {

  /**
   * Returns the larger of the bytes and the bytes that the entries count for by {@code entryBytes}.
   * Policies take a table as full when this reaches {@code tableBytes}.
   */
  long share(long bytes, long entries) {
    return entryBytes == 0 || entries < bytes / entryBytes ? bytes : entries * entryBytes;
  }
}
