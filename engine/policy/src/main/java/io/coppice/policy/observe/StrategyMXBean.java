// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import java.util.List;

/**
 * JMX view of one table's compaction on this node: counters of the policy's work, the table's
 * arrangement, and tuning. One interface serves Cassandra's tables, {@code
 * io.coppice:type=Strategy,keyspace=...,table=...}, and stores. It uses only open types, so any
 * client can use it without Coppice's classes. Counters start at zero when the process starts or
 * the table first uses a Coppice policy. Thread-safe: JMX calls it from any thread.
 */
public interface StrategyMXBean {

  /** Returns the policy in force with all its options, in the text form that every host reads. */
  String getPolicy();

  /** Returns the policy from the schema or the store's options, in the same text form. */
  String getConfiguredPolicy();

  /**
   * Returns the permanent configuration in the host's own notation, unaffected by tuning of this
   * process. In Cassandra it is the JSON of the schema's compaction parameters, of any strategy;
   * for a store it is the text of its policy.
   */
  String getConfiguration();

  /**
   * Returns the number of finished merges: plans that rewrote tables, including major and
   * user-defined ones.
   */
  long getMerges();

  /** Returns the bytes on disk that finished merges have written. */
  long getMergedBytes();

  /** Returns the number of tables without overlap that changed level by metadata alone. */
  long getMoves();

  /** Returns the bytes on disk of the tables moved. */
  long getMovedBytes();

  /** Returns the number of deferred merges: virtual compactions, which change only metadata. */
  long getDelays();

  /** Returns the number of read-triggered merges. */
  long getReadMerges();

  /**
   * Returns the number of plans that the checker refused; any value but zero is a bug in Coppice.
   */
  long getRefusedPlans();

  /** Returns the last plan with its reason, or an empty text if there was none. */
  String getLastDecision();

  /** Returns the runs of each level, level 0 first, summed over the parts of the table. */
  List<Integer> getRunsPerLevel();

  /** Returns the tables of each level, level 0 first, summed over the parts of the table. */
  List<Integer> getTablesPerLevel();

  /** Returns a lower bound of the plans still wanted. */
  int getPendingPlans();

  /** Returns the bytes on disk of the inputs of the merges still wanted. */
  long getBacklogBytes();

  /** Returns all values at one instant, with runs, tunables and last decisions. */
  JmxStrategySnapshot snapshot();

  /** Returns the position of every table and the running merges at one instant. */
  JmxTableMap tableMap();

  /**
   * Asks a running merge to stop at its next table, and does not wait. Its finished outputs stay,
   * and the policy plans the rest again, perhaps at once.
   *
   * @param id the merge, as in {@link TableMap.Merge}
   * @return whether such a merge was running
   */
  boolean stopMerge(String id);

  /**
   * Returns the faults of tuning the options, one text per fault; empty if there are none.
   *
   * @param options as {@code name=value,name=value}, each an option of the policy in force; or a
   *     whole policy, as {@code name,option=value}
   */
  List<String> validate(String options);

  /**
   * Applies options, all or none, from the next decision on. They last until {@link #revert}, a
   * change of the configuration, or the end of the process.
   *
   * @param options as {@link #validate} takes them; other options keep their values, and a whole
   *     policy replaces the one in force
   * @param expected the text of {@link #getPolicy} that must be in force, or empty for any;
   *     otherwise nothing changes
   * @return the new text of {@link #getPolicy}
   * @throws IllegalArgumentException if another policy is in force, or an option is wrong; the
   *     message names every fault, and nothing has changed
   */
  String apply(String options, String expected);

  /**
   * Applies the configured policy again, from the next decision on.
   *
   * @return the new text of {@link #getPolicy}
   */
  String revert();
}
