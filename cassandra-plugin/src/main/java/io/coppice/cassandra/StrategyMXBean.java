// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.List;

/**
 * What a table's strategy has done on this node and how its SSTables are arranged, as {@code
 * io.coppice:type=Strategy,keyspace=...,table=...}. Counters start at zero when the node starts or
 * the table first comes to one of our strategies, and survive ALTER TABLE.
 */
public interface StrategyMXBean {

  /** The policy and all its options, in the text form that every host reads. */
  String getPolicy();

  /** Merges finished: plans that rewrote SSTables, major and user-defined ones included. */
  long getMerges();

  /** Bytes on disk that finished merges have written. */
  long getMergedBytes();

  /** SSTables that changed level by metadata alone. */
  long getMoves();

  /** Bytes on disk of the SSTables moved. */
  long getMovedBytes();

  /** Plans that the checker refused; anything but zero is a fault of ours. */
  long getRefusedPlans();

  /** What was planned last and why, or an empty text. */
  String getLastDecision();

  /**
   * Runs of each level, level 0 first, added up over data directories and repair states. Never
   * longer than nine.
   */
  List<Integer> getRunsPerLevel();

  /** SSTables of each level, level 0 first, added up likewise. */
  List<Integer> getSSTablesPerLevel();

  /** Plans still wanted, at least. */
  int getPendingPlans();
}
