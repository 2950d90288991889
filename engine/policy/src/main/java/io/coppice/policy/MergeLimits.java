// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What bounds every merge of a policy in its host.
 *
 * @param tableBytes the size at which outputs are cut
 * @param cleaningThreshold output tables after which a merge releases the inputs it has consumed; 0
 *     where the host releases them at the end only
 * @param maxLevel the deepest level, inclusive
 * @param entryBytes the host cuts an output also at one entry for so many bytes of the table size,
 *     so that its filter fits its place; 0 where size alone counts
 */
record MergeLimits(long tableBytes, int cleaningThreshold, int maxLevel, int entryBytes) {

  /** What so many bytes and entries take of an output, in bytes of its size. */
  long share(long bytes, long entries) {
    return entryBytes == 0 || entries < bytes / entryBytes ? bytes : entries * entryBytes;
  }
}
