// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.testing.Seeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Law: after each flush a policy comes to rest, whatever its options. Two rules that undo each
 * other's merges would plan for ever; the simulation fails then. Draws options, merge rule and
 * load; {@code -Dcases=N} draws more.
 */
class RestLawTest {

  private static final int CASES = Integer.getInteger("cases", 10);

  /** Seed with which joins of small tables and merges of overlaps undid each other. */
  private static final long[] FOUND = {32};

  private static final int ENTRY_BYTES = 64;
  private static final int TABLE_BYTES = 8 * ENTRY_BYTES;

  private static String policy(Random random) {
    int fanout = 2 + random.nextInt(7);
    String text =
        switch (random.nextInt(8)) {
          case 0 -> "leveled,fanout=" + fanout;
          case 1 -> "tiered,trigger=" + (2 + random.nextInt(11));
          case 2 -> "lazy-binomial,k=" + (2 + random.nextInt(11));
          case 3 -> "split-forest,fanout=" + fanout;
          case 4 -> "grouped,groups=" + (2 + random.nextInt(6));
          default -> "delayed,fanout=" + fanout + ",vct=" + (2 + random.nextInt(19));
        };
    return text + ",cleaning_threshold=" + random.nextInt(2);
  }

  private static Scenario scenario(Random random) {
    boolean free = random.nextInt(4) > 0;
    PolicyLimits limits = new PolicyLimits(TABLE_BYTES, 1, 1L << 40, 30, true, 0, free);
    long flush = (1L + random.nextInt(4)) * TABLE_BYTES;
    long data = (100L + random.nextInt(300)) * flush;
    return new Scenario(
        PolicySpec.parse(policy(random), limits),
        free ? MergeRule.FREE : MergeRule.ADJACENT,
        WriteWorkload.parse(List.of("insert", "uniform-update").get(random.nextInt(2))),
        data,
        data,
        flush,
        ENTRY_BYTES,
        0,
        0,
        Long.MAX_VALUE,
        random.nextInt(1000),
        Fidelity.EXACT);
  }

  @Test
  void everyPolicyComesToRestAfterEachFlush() {
    Seeds.forEachFoundAndMore(
        FOUND,
        CASES,
        random -> {
          Scenario drawn = scenario(random);
          SimulationReport report =
              new Simulation<>(drawn, new KeyModel(drawn), (shape, budget, plan) -> {}, false)
                  .run(share -> {});
          assertThat(report.wa()).as(drawn.toString()).isPositive();
        });
  }
}
