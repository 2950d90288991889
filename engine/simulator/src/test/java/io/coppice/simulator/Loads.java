// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;

/**
 * A small load, told in entries instead of bytes.
 *
 * @param policy the policy's text, without {@code table_size}
 * @param keys of the whole range
 * @param flushes how many memtables are written
 */
record Loads(
    String policy,
    MergeRule rule,
    String workload,
    int keys,
    int flushes,
    int memtable,
    int table,
    double reads,
    long transientEntries) {

  static final int ENTRY_BYTES = 100;

  /** Every key once, without a limit on space. */
  static Loads once(String policy, String workload, int flushes, int memtable, int table) {
    return new Loads(
        policy,
        MergeRule.ADJACENT,
        workload,
        flushes * memtable,
        flushes,
        memtable,
        table,
        0,
        Long.MAX_VALUE / ENTRY_BYTES);
  }

  /** Keys that are written again and again. */
  static Loads updates(
      String policy, String workload, int keys, int flushes, int memtable, int table) {
    return new Loads(
        policy,
        MergeRule.ADJACENT,
        workload,
        keys,
        flushes,
        memtable,
        table,
        0,
        Long.MAX_VALUE / ENTRY_BYTES);
  }

  Loads under(MergeRule other) {
    return new Loads(
        policy, other, workload, keys, flushes, memtable, table, reads, transientEntries);
  }

  Loads within(long entries) {
    return new Loads(policy, rule, workload, keys, flushes, memtable, table, reads, entries);
  }

  Loads reading(double aWrite) {
    return new Loads(
        policy, rule, workload, keys, flushes, memtable, table, aWrite, transientEntries);
  }

  Scenario scenario() {
    long tableBytes = (long) table * ENTRY_BYTES;
    PolicyLimits limits = new PolicyLimits(tableBytes, 1, 1L << 40, 62, rule == MergeRule.ADJACENT);
    return new Scenario(
        PolicySpec.parse(policy, limits),
        rule,
        WriteWorkload.parse(workload),
        (long) keys * ENTRY_BYTES,
        (long) flushes * memtable * ENTRY_BYTES,
        (long) memtable * ENTRY_BYTES,
        ENTRY_BYTES,
        10,
        reads,
        transientEntries * ENTRY_BYTES,
        Long.getLong("seed", 1),
        Fidelity.EXACT);
  }

  SimulationReport run() {
    return Simulator.run(scenario(), share -> {});
  }
}
