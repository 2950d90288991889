// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * What a table of a simulation stands for: one real table, or many side by side that meet the same
 * fate.
 *
 * @param tableBytes bytes of a real table
 * @param tables how many real tables a simulated one stands for, at least 1
 * @param together true if they take part in one merge, false if each has a merge of its own
 */
record Grain(long tableBytes, double tables, boolean together) {

  /** One real table. */
  static final Grain REAL = new Grain(0, 1, false);

  /**
   * Bytes of a simulated table that holds a whole run. A sequential load's flushes lie side by side
   * in a run, and small ones would be joined; they are tables as they come.
   */
  static double wholeRun(Scenario scenario, double memtableBytes) {
    return scenario.workload().kind() == Workload.Kind.SEQUENTIAL
        ? memtableBytes
        : 2.0 * scenario.writeBytes();
  }

  /**
   * By how much a merge of real tables fills the disk at its fullest instant.
   *
   * @param simulatedBytes by how much the simulated one does
   * @param runs that it merges
   * @param cleaningThreshold of its plan; 0 if inputs are released at the end only
   */
  long peakBytes(long simulatedBytes, int runs, int cleaningThreshold) {
    if (!together) {
      return (long) Math.ceil(simulatedBytes / tables);
    }
    if (tables == 1 || cleaningThreshold == 0) {
      return simulatedBytes;
    }
    // Between two releases so many outputs come, and of each run but the one that was released last
    // one table straddles the place that the merge has reached.
    return (long) Math.min(simulatedBytes, (cleaningThreshold + runs - 1.0) * tableBytes);
  }
}
