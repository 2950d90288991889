// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.List;
import java.util.function.Function;

/**
 * Write amplification of a small load of overwrites under a policy, given by its text. The word
 * {@code tight} before it leaves little space and two levels, {@code free} allows any merges as in
 * Cassandra. Not a number where the policy never rests or breaks down. A function of the JDK, so
 * that it can be called across class loaders.
 */
public final class BoundedRun implements Function<String, Double> {

  private static final String TIGHT = "tight ";
  private static final String FREE = "free ";

  /** What may stand before the text. */
  static final List<String> LOADS = List.of("", TIGHT, FREE);

  private static final int ENTRY_BYTES = 64;
  private static final int TABLE_BYTES = 8 * ENTRY_BYTES;
  private static final int FLUSH_BYTES = 4 * TABLE_BYTES;
  private static final int FLUSHES = 64;
  private static final int LIVE_FLUSHES = 32;
  private static final double READS_PER_WRITE = 0.5;

  // Right policies need at most a third of either.
  private static final int MAX_PLANS = 2_000;
  private static final long MAX_JUMPS = 10_000_000;

  // Of this class loader; one thread. Counted by the rewritten policies.
  private static long jumps;

  private static final class RestlessException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Called before every jump of the policies' code. */
  public static void jump() {
    if (++jumps > MAX_JUMPS) {
      throw new RestlessException();
    }
  }

  @Override
  public Double apply(String load) {
    boolean tight = load.startsWith(TIGHT);
    String policy = load.substring(load.indexOf(' ') + 1);
    PolicyLimits limits = new PolicyLimits(TABLE_BYTES, 1, 1L << 40, tight ? 2 : 30, true);
    Scenario scenario =
        new Scenario(
            PolicySpec.parse(policy, limits),
            load.startsWith(FREE) ? MergeRule.FREE : MergeRule.ADJACENT,
            WriteWorkload.parse("uniform-update"),
            (long) LIVE_FLUSHES * FLUSH_BYTES,
            (long) FLUSHES * FLUSH_BYTES,
            FLUSH_BYTES,
            ENTRY_BYTES,
            0,
            READS_PER_WRITE,
            tight ? 4 * TABLE_BYTES : Long.MAX_VALUE,
            1,
            Fidelity.EXACT);
    int[] plans = new int[1];
    Simulation.Observer bound =
        (shape, budget, plan) -> {
          if (++plans[0] > MAX_PLANS) {
            throw new RestlessException();
          }
        };
    try {
      return new Simulation<>(scenario, new KeyModel(scenario), bound, false).run(share -> {}).wa();
    } catch (RuntimeException | Error e) {
      return Double.NaN;
    }
  }
}
