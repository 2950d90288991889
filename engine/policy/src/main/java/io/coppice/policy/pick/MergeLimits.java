// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

/**
 * Limits of every merge of a policy in its host.
 *
 * @param tableBytes size that outputs are cut to, in bytes on disk
 * @param cleaningThreshold output tables after which a merge releases the inputs it has consumed; 0
 *     if the host releases them only at the end
 * @param maxLevel the deepest level of the host, inclusive
 * @param entryBytes least table bytes for each entry. The host also cuts an output at {@code
 *     tableBytes / entryBytes} entries, so that its filter fits its space; 0 if size alone counts
 */
public record MergeLimits(long tableBytes, int cleaningThreshold, int maxLevel, int entryBytes) {

  /**
   * Returns the larger of the bytes and the bytes that the entries count for by {@code entryBytes};
   * an output is full when this reaches {@code tableBytes}.
   */
  long share(long bytes, long entries) {
    return entryBytes == 0 || entries < bytes / entryBytes ? bytes : entries * entryBytes;
  }
}
