// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.MergeRule;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.Workload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What tiered costs, against the table of its page. */
class TieredPolicyTest {

  private static final int FLUSH = 20;
  private static final int TABLE = 20;

  @ParameterizedTest(name = "trigger {0}, {1}")
  @CsvSource({"6, ADJACENT, 9.8", "12, ADJACENT, 3.9", "16, ADJACENT, 3.5"})
  void uniformLoadCostsWhatThePageSays(int trigger, MergeRule rule, double amplification) {
    ShapeStore store =
        Workload.run("tiered,trigger=" + trigger, rule, TABLE, 976, Workload.uniform(FLUSH));
    assertThat(store.writeAmplification()).isCloseTo(amplification, within(0.1));
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void atRestRunsAreUnderTheTrigger(MergeRule rule) {
    for (int flushes = 1; flushes < 64; flushes++) {
      ShapeStore store =
          Workload.run("tiered,trigger=5", rule, TABLE, flushes, Workload.uniform(FLUSH));
      assertThat(store.runs()).as("after %d flushes", flushes).isLessThan(5);
    }
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void sequentialLoadIsOnlyMoved(MergeRule rule) {
    ShapeStore store = Workload.run("tiered", rule, TABLE, 256, Workload.sequential(FLUSH));
    assertThat(store.writeAmplification()).isEqualTo(1.0);
    assertThat(store.merges()).isZero();
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void tinyTablesThatLieApartEndAsFewLargeOnes(MergeRule rule) {
    ShapeStore store = Workload.run("tiered,trigger=12", rule, 64, 1024, Workload.scattered());
    // In level 0 of FREE hosts they may be the parts of one flush.
    int inLevelZero = rule == MergeRule.FREE ? 63 : 0;
    assertThat(store.slices()).isLessThan(2 * 1024 / 64 + 3 * 12 + inLevelZero);
  }
}
