// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.MergeRule;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.Workload;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What lazy binomial costs, against the reference data of its page. */
class LazyBinomialPolicyTest {

  private static final int FLUSH = 20;
  private static final int TABLE = 20;

  @ParameterizedTest(name = "k {0}")
  @CsvSource({"6, 6.44", "8, 4.70", "10, 3.92", "14, 3.65"})
  void withoutABaseTheTreesAreACombinadicNumber(int k, double simulated) {
    ShapeStore store =
        Workload.run(
            "lazy-binomial,x=0,k=" + k, MergeRule.ADJACENT, TABLE, 976, Workload.uniform(FLUSH));
    assertThat(store.writeAmplification()).isCloseTo(simulated, within(0.02));
    assertThat(store.runs()).isLessThanOrEqualTo(k);
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void withABaseUniqueKeysCostTheSameUnderBothRules(MergeRule rule) {
    ShapeStore store = Workload.run("lazy-binomial", rule, TABLE, 976, Workload.uniform(FLUSH));
    assertThat(store.writeAmplification()).isCloseTo(5.24, within(0.02));
    assertThat(store.runs()).isLessThanOrEqualTo(9);
  }

  @ParameterizedTest(name = "k {0}, x {1}")
  @CsvSource({"8, 0.25, 7.2", "8, 0.5, 5.8", "12, 0.5, 5.0"})
  void updatesCostWhatTheReferenceDataSay(int k, double x, double simulated) {
    int keys = 977 * FLUSH / 4;
    Random random = new Random(1);
    ShapeStore store =
        Workload.run(
            "lazy-binomial,k=" + k + ",x=" + x,
            MergeRule.ADJACENT,
            TABLE,
            2 * 977,
            flush -> random.ints(FLUSH / 4, 0, keys).toArray());
    // The store first grows, which costs less than updates do; so the bound is wide below.
    assertThat(store.writeAmplification()).isBetween(0.9 * simulated, 1.03 * simulated);
    assertThat(store.runs()).isLessThanOrEqualTo(k + 1);
    assertThat((double) store.shape().bytes() / (keys * Workload.ENTRY_BYTES))
        .isLessThan(1 + x + 0.01);
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void sequentialLoadIsOnlyMoved(MergeRule rule) {
    ShapeStore store = Workload.run("lazy-binomial", rule, TABLE, 256, Workload.sequential(FLUSH));
    assertThat(store.writeAmplification()).isEqualTo(1.0);
    assertThat(store.merges()).isZero();
  }
}
