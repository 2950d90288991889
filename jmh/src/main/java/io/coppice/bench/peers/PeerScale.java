// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.suite.DataTable;
import java.util.Map;

/**
 * Sizes of the loads and their repetitions. The scale tiny is for tests. The scale quick takes at
 * most 3 minutes, half of it warm-up. The scale standard takes at most 45 minutes on a machine with
 * a nominal {@link Probe}. The scale full takes hours, and the goals refer to it.
 *
 * @param entries writes beside RocksDB
 * @param treeEntries writes beside the quick stores that are written in Java or are trees
 * @param javaEntries writes beside the slow ones
 * @param committedEntries writes beside stores that commit each by itself
 * @param syncedEntries writes beside stores that sync each
 * @param smallEntries writes of unique keys where policies are compared
 * @param smallMemtableBytes memtables for some thousand flushes
 * @param delayedEntries writes of unique keys beside a policy that delays, enough to fill its
 *     levels
 * @param delayedMemtableBytes memtables whose merge cost depends on bytes rather than on files and
 *     plans
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
