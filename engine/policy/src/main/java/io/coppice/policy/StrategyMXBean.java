// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * What a policy has done with one table on this node, how the table is arranged, and how the policy
 * can be tuned: one interface for Cassandra's tables, {@code
 * io.coppice:type=Strategy,keyspace=...,table=...}, and for stores. Open types alone, so any client
 * can use it without our classes. Counters start at zero when the process starts or the table first
 * comes to one of our policies. Safe to share between threads: JMX calls it from any.
 */
public interface StrategyMXBean {

  /** The policy in force and all its options, in the text form that every host reads. */
  String getPolicy();

  /** What the schema or the store's options say, in the same form. */
  String getConfiguredPolicy();

  /**
   * What is configured for good, in the host's own words, whatever this process has been told
   * since: in Cassandra the compaction parameters of the schema as JSON, also of another strategy;
   * for a store the text of its policy.
   */
  String getConfiguration();

  /** Merges finished: plans that rewrote tables, major and user-defined ones included. */
  long getMerges();

  /** Bytes on disk that finished merges have written. */
  long getMergedBytes();

  /** Tables that changed level by metadata alone, as they overlap nothing. */
  long getMoves();

  /** Bytes on disk of the tables moved. */
  long getMovedBytes();

  /** Merges that were put off: virtual compactions, which touch metadata alone. */
  long getDelays();

  /** Merges that reads asked for. */
  long getReadMerges();

  /** Plans that the checker refused; anything but zero is a fault of ours. */
  long getRefusedPlans();

  /** What was planned last and why, or an empty text. */
  String getLastDecision();

  /** Runs of each level, level 0 first, added up over the parts of the table. */
  List<Integer> getRunsPerLevel();

  /** Tables of each level, level 0 first, added up likewise. */
  List<Integer> getTablesPerLevel();

  /** Plans still wanted, at least. */
  int getPendingPlans();

  /** Input bytes of the merges still wanted. */
  long getDebtBytes();

  /** All of it at one instant, with runs, tunables and last decisions. */
  OpenSnapshot snapshot();

  /** Where every table lies, and the merges under way, at one instant. */
  OpenTableMap tableMap();

  /**
   * Ends a merge under way at its next table. What it has written stays, and the policy plans the
   * rest anew, perhaps at once.
   *
   * @param id as in {@link TableMap.Merge}
   * @return false if there is no such merge
   */
  boolean stopMerge(String id);

  /**
   * What would be wrong with tuning options so, one text a fault; empty if nothing is.
   *
   * @param options as {@code name=value,name=value}, each an option of the policy in force
   */
  List<String> validate(String options);

  /**
   * Puts options in force, all or none, from the next decision on, until {@link #revert}, a change
   * of what is configured, or the end of the process.
   *
   * @param options as {@link #validate} takes them; those not named keep their values
   * @param expected the text of {@link #getPolicy} that must be in force, else nothing changes;
   *     empty for any
   * @return the text of {@link #getPolicy} from now on
   * @throws IllegalArgumentException naming every fault; nothing has changed
   */
  String apply(String options, String expected);

  /**
   * Puts what is configured in force again.
   *
   * @return the text of {@link #getPolicy} from now on
   */
  String revert();
}
