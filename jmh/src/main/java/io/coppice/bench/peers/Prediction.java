// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.Fidelity;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.simulator.Simulator;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.workload.BenchmarkKeys;
import java.util.HashMap;
import java.util.Map;

/**
 * Predictions of the simulator for a policy of Coppice under a load of the benchmarks, with the
 * same number of entries and flushes. It caches its results. Used by one thread.
 */
public final class Prediction {

  private static final long SEED = 42;

  private final Map<Scenario, SimulationReport> known = new HashMap<>();

  /**
   * Returns the simulator's report about a load; it may be one that an earlier call computed.
   *
   * @param policy policy text
   * @param workload distribution of the keys, in the simulator's words
   * @param keys number of different keys
   * @param writes number of writes of these keys, the same if the workload writes each key once
   * @param flushes number of flushes that the store made
   */
  public SimulationReport of(
      String policy, String workload, int keys, long writes, int valueBytes, double flushes) {
    int entry = BenchmarkKeys.BYTES + valueBytes;
    PolicySpec spec = PolicySpec.parse(policy);
    Scenario scenario =
        new Scenario(
            spec,
            MergeRule.ADJACENT,
            WriteWorkload.parse(workload),
            (long) keys * entry,
            writes * entry,
            Math.max(entry, Math.round(writes * entry / Math.max(1, flushes))),
            entry,
            0,
            0,
            Long.MAX_VALUE,
            SEED,
            Fidelity.suiting(writes));
    return known.computeIfAbsent(scenario, asked -> Simulator.run(asked, share -> {}));
  }
}
