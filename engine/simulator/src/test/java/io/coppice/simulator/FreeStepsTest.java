// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.SortedKeySet;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.simulator.store.SimulatedStore;
import io.coppice.simulator.store.StoreContents;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps and space of merges under FREE, as the Cassandra plugin has them. */
class FreeStepsTest {

  private static final int MIB = 1 << 20;
  private static final PolicyLimits CASSANDRA =
      new PolicyLimits(MIB, 4096, 1L << 40, 8, true, 0, true);

  /** Result of a load of 80 flushes of 2 MiB, 24 MiB of keys. */
  private record Found(SimulationReport report, long peakBytes, List<int[]> tables) {}

  private static Found run(String policy) {
    Scenario scenario =
        new Scenario(
            PolicySpec.parse(policy, CASSANDRA),
            MergeRule.FREE,
            new WriteWorkload(WriteWorkload.Kind.UNIFORM_UPDATE, 0),
            24L * MIB,
            160L * MIB,
            2L * MIB,
            1024,
            10,
            0,
            Long.MAX_VALUE,
            3,
            Fidelity.EXACT);
    long[] peak = new long[1];
    Simulation.Observer observer =
        new Simulation.Observer() {
          @Override
          public void decided(Shape shape, Budget budget, Plan plan) {}

          @Override
          public void applied(Plan plan, SimulatedStore.Effect effect) {
            peak[0] = Math.max(peak[0], effect.peakBytes());
          }
        };
    Simulation<SortedKeySet> simulation =
        new Simulation<>(scenario, new KeyModel(scenario), observer, true);
    SimulationReport report = simulation.run(share -> {});
    List<int[]> tables = new ArrayList<>();
    for (StoreContents.Slice<SortedKeySet> slice : StoreContents.slices(simulation.store())) {
      tables.add(new int[] {slice.low(), slice.high(), slice.content().count()});
    }
    return new Found(report, peak[0], tables);
  }

  @Test
  void stepsTakeLessSpaceForTheSameWrites() {
    Found whole = run("lazy-binomial,k=4,cleaning_threshold=0");
    Found stepped = run("lazy-binomial,k=4,cleaning_threshold=2");
    assertThat(stepped.peakBytes).isLessThan(whole.peakBytes / 2);
    assertThat(stepped.report.wa()).isCloseTo(whole.report.wa(), within(0.03 * whole.report.wa()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"leveled,fanout=4", "lazy-binomial,k=4", "delayed,fanout=4"})
  void noStepExceedsTheLimit(String policy) {
    long limit = 5L * MIB;
    assertThat(run(policy).peakBytes).isGreaterThan(limit);
    Found limited = run(policy + ",max_transient_space=5MiB");
    assertThat(limited.peakBytes).isBetween(1L, limit);
    assertThat(limited.report.lackedBytes()).isZero();
  }

  /** A table that reaches its largest size before a bound may leave a rest that crosses it. */
  @Test
  void mostOutputsEndAtBoundsOfShards() {
    int keys = 24 * MIB / 1024;
    List<int[]> tables = run("leveled,fanout=4").tables;
    int inside = 0;
    for (int[] table : tables) {
      inside += table[0] * 8 / keys == table[1] * 8 / keys ? 1 : 0;
      assertThat(table[2]).isBetween(1, 3 * MIB / 2 / 1024);
    }
    assertThat(inside).isGreaterThan(tables.size() * 3 / 4).isGreaterThan(12);
  }
}
