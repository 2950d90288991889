// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Shape;
import io.coppice.policy.ShapeStore;
import io.coppice.policy.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What grouped levels cost, against their closed forms. */
class GroupedPolicyTest {

  private static final int FLUSH = 40;
  private static final int TABLE = 20;

  @ParameterizedTest(name = "{0} groups, {1} flushes, {2}")
  @CsvSource({
    "2, 64, ADJACENT",
    "3, 200, ADJACENT",
    "4, 976, ADJACENT",
    "7, 976, ADJACENT",
    "4, 300, FREE",
    "10, 230, FREE",
  })
  void uniformLoadIsWrittenOnceALevel(int groups, int flushes, MergeRule rule) {
    ShapeStore store =
        Workload.run("grouped,groups=" + groups, rule, TABLE, flushes, Workload.uniform(FLUSH));
    assertThat(store.writeAmplification()).isCloseTo(onceALevel(groups, flushes), within(0.001));
    int digits = 0;
    for (int rest = flushes; rest > 0; rest /= groups) {
      digits += rest % groups;
    }
    assertThat(store.runs()).isEqualTo(digits);
    assertThat(store.moves()).isZero();
  }

  @Test
  void sequentialLoadIsWrittenOnceALevelToo() {
    ShapeStore store =
        Workload.run("grouped", MergeRule.ADJACENT, TABLE, 256, Workload.sequential(FLUSH));
    assertThat(store.writeAmplification()).isEqualTo(onceALevel(4, 256)).isEqualTo(5.0);
    assertThat(store.moves()).isZero();
  }

  @ParameterizedTest
  @EnumSource(MergeRule.class)
  void lastLevelLeveledKeepsOneRunThere(MergeRule rule) {
    ShapeStore store =
        Workload.run("grouped,last_level_leveled=true", rule, TABLE, 976, Workload.uniform(FLUSH));
    Shape shape = store.shape();
    assertThat(shape.levels().get(shape.levels().size() - 1).runs().size()).isEqualTo(1);
    assertThat(store.writeAmplification()).isCloseTo(5.73, within(0.01));
  }

  private static double onceALevel(int groups, int flushes) {
    double levels = 1;
    for (int size = groups; size <= flushes; size *= groups) {
      levels += (double) (size * (flushes / size)) / flushes;
    }
    return levels;
  }
}
