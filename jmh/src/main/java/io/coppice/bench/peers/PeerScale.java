// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.report.DataTable;
import java.util.Map;

/**
 * Sizes of the loads and their repetitions. The scale {@code tiny} is for tests. The scale {@code
 * quick} takes at most 3 minutes, half of it warm-up. The scale {@code standard} takes at most 45
 * minutes on a machine with a nominal {@link Probe}. The scale {@code full} takes hours, and the
 * goals refer to it.
 *
 * @param entries writes of loads that run on RocksDB
 * @param treeEntries writes of loads on stores in Java and on B-trees, the fast ones
 * @param javaEntries writes of loads on the slow ones among them
 * @param committedEntries writes of loads on stores that commit each write by itself
 * @param syncedEntries writes of loads that sync each write
 * @param smallEntries writes of unique keys for comparisons of policies
 * @param smallMemtableBytes memtable size of these, for some thousand flushes
 * @param delayedEntries writes of unique keys for the policy that delays merges, enough to fill its
 *     levels
 * @param delayedMemtableBytes memtable size of these, with which the cost of merges depends on
 *     bytes rather than on files and plans
 * @param updatedKeys number of keys of the load that writes four times as many entries, drawn from
 *     them
 * @param records number of records of YCSB
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

  /** Returns whether the documentation may quote figures of this scale. */
  boolean isQuoted() {
    return isFull() || label.equals(STANDARD);
  }
}
