// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicySpec;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CapacityTest {

  private static List<Capacity> first(String policy) {
    return first(policy, MergeRule.ADJACENT);
  }

  /** Of a table whose deepest level is 2. */
  private static List<Capacity> first(String policy, MergeRule rule) {
    PolicySpec spec = WhatIfTrial.parse(policy, rule);
    return IntStream.rangeClosed(0, 2).mapToObj(i -> Capacity.of(spec, rule, i, 2)).toList();
  }

  private static Capacity bytes(long bytes) {
    return new Capacity(bytes, -1);
  }

  private static Capacity runs(long runs) {
    return new Capacity(-1, runs);
  }

  private static Capacity none() {
    return new Capacity(-1, -1);
  }

  @Test
  void levelsHoldWhatTheirPolicySays() {
    for (String leveled : List.of("leveled", "delayed")) {
      assertThat(first(leveled + ",base_size=10MiB,fanout=5,l0_trigger=3"))
          .containsExactly(runs(3), bytes(10 << 20), bytes(50 << 20));
      assertThat(first(leveled + ",table_size=2MiB").get(1)).isEqualTo(bytes(10 << 20));
    }
    assertThat(first("grouped,groups=3")).containsExactly(runs(3), runs(3), runs(3));
    assertThat(first("split-forest,fanout=6")).containsExactly(runs(6), runs(6), runs(6));
    assertThat(first("lazy-binomial,k=5")).containsExactly(none(), runs(6), none());
    assertThat(first("lazy-binomial,k=5", MergeRule.FREE)).containsOnly(none());
    assertThat(first("grouped,groups=3,last_level_leveled=true"))
        .containsExactly(runs(3), runs(3), none());
    assertThat(first("tiered")).containsOnly(none());
    assertThat(first("adaptive")).containsOnly(none());
  }

  @Test
  void nothingFollowsTheDeepestLevel() {
    for (String policy : List.of("leveled", "delayed", "grouped", "split-forest")) {
      PolicySpec deep = PolicySpec.parse(policy);
      int most = deep.limits().maxLevel();
      assertThat(Capacity.of(deep, MergeRule.ADJACENT, most, most)).as(policy).isEqualTo(none());
    }
    PolicySpec deep = PolicySpec.parse("leveled");
    int most = deep.limits().maxLevel();
    assertThat(Capacity.of(deep, MergeRule.ADJACENT, most - 1, most))
        .as("more than a long")
        .isEqualTo(none());
    PolicySpec young = PolicySpec.parse("grouped,groups=3,last_level_leveled=true");
    assertThat(Capacity.of(young, MergeRule.ADJACENT, 0, 0)).isEqualTo(runs(3));
  }
}
