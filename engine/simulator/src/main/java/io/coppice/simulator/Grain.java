// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.simulator.keys.WriteWorkload;

/**
 * Scale of a simulated table: it represents one real table, or many adjacent ones that are treated
 * alike.
 *
 * @param tableBytes bytes of a real table; not used by {@link #REAL}
 * @param tables number of real tables per simulated one, at least 1
 * @param together whether one merge takes all these real tables; if not, each has a merge of its
 *     own
 */
record Grain(long tableBytes, double tables, boolean together) {

  /** Scale of one real table. */
  static final Grain REAL = new Grain(0, 1, false);

  /**
   * Returns the size in bytes of a simulated table that holds a whole run. A sequential load has
   * tables of memtable size instead: its flushes are adjacent in a run, and smaller ones would be
   * joined.
   */
  static double wholeRun(Scenario scenario, double memtableBytes) {
    return scenario.workload().kind() == WriteWorkload.Kind.SEQUENTIAL
        ? memtableBytes
        : 2.0 * scenario.writeBytes();
  }

  /**
   * Returns the peak growth of the disk by a merge of real tables, in bytes.
   *
   * @param simulatedBytes peak growth by the simulated merge
   * @param runs number of merged runs
   * @param cleaningThreshold threshold of the plan; 0 if inputs are released only at the end
   */
  long peakBytes(long simulatedBytes, int runs, int cleaningThreshold) {
    if (!together) {
      return (long) Math.ceil(simulatedBytes / tables);
    }
    if (tables == 1 || cleaningThreshold == 0) {
      return simulatedBytes;
    }
    // cleaningThreshold outputs are written between two releases. Each run, except the one released
    // last, also has one table that straddles the merge position.
    return (long) Math.min(simulatedBytes, (cleaningThreshold + runs - 1.0) * tableBytes);
  }
}
