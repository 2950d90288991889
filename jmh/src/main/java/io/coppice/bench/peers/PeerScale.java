// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.suite.DataTable;
import java.util.Map;

/**
 * Sizes of the loads and their repetitions: tiny is for tests, quick takes at most 3 minutes and
 * half of it is warm-up, standard takes at most 45 minutes where a {@link Probe} is nominal, and
 * full takes hours and is what the goals are stated for.
 *
 * @param entries writes beside RocksDB
 * @param treeEntries writes beside the quick stores that are written in Java or are trees
 * @param javaEntries writes beside the slow ones
 * @param committedEntries writes beside stores that commit each by itself
 * @param syncedEntries writes beside stores that sync each
 * @param smallEntries writes of unique keys where policies are compared
 * @param smallMemtableBytes so small that there are some thousand flushes
 * @param delayedEntries writes of unique keys beside a policy that delays, enough to fill its
 *     levels
 * @param delayedMemtableBytes so large that bytes decide, and neither files nor plans
 * @param updatedKeys keys that are drawn four times as often as there are
 * @param records of YCSB
 */
public record PeerScale(
    String label,
    int entries,
    long memtableBytes,
    int treeEntries,
    int javaEntries,
    int committedEntries,
    int syncedEntries,
    int smallEntries,
    long smallMemtableBytes,
    int delayedEntries,
    long delayedMemtableBytes,
    int updatedKeys,
    double readSeconds,
    int records,
    int rounds) {

  public static final Map<String, PeerScale> ALL = DataTable.columns(PeerScale.class, "scales.txt");
  static final String STANDARD = "standard";
  static final String FULL = "full";

  boolean isFull() {
    return label.equals(FULL);
  }

  /** Returns whether figures of this scale are quoted. */
  boolean isQuoted() {
    return isFull() || label.equals(STANDARD);
  }
}
