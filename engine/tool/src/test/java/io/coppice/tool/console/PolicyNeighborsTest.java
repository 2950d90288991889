// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.Seeds;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The policies that <i>Suggest values</i> simulates. */
class PolicyNeighborsTest {

  private static final int SEEDS = 100;

  private static final List<PolicyLimits> HOSTS =
      List.of(WhatIfTrial.limits(MergeRule.FREE), WhatIfTrial.limits(MergeRule.ADJACENT));

  @Test
  void aShardedAdaptiveHasNeighborsWithoutAnotherRung() {
    Map<String, PolicySpec> found = PolicyNeighbors.of(PolicySpec.parse("adaptive,shards=60"));
    assertThat(found).isNotEmpty();
    assertThat(found.keySet()).noneMatch(change -> change.startsWith("rung="));
    assertThat(PolicyNeighbors.of(PolicySpec.parse("adaptive,rung=4")).keySet())
        .contains("rung=2", "rung=6");
  }

  /** A policy with random valid values; half of those of {@code adaptive} have shards. */
  private static PolicySpec random(Random random, String name, PolicyLimits host) {
    StringBuilder text = new StringBuilder(name);
    for (PolicyOption option : PolicySpec.options(name, host)) {
      if (random.nextBoolean()) {
        text.append(',').append(option.name()).append('=').append(value(random, option));
      }
    }
    return PolicySpec.parse(text.toString(), host);
  }

  private static String value(Random random, PolicyOption option) {
    if (option.type() == PolicyOption.Type.RUNGS) {
      StringBuilder shards = new StringBuilder();
      for (int i = random.nextInt(8); i >= 0; i--) {
        shards.append(random.nextInt(7));
      }
      return shards.toString();
    }
    if (option.type() == PolicyOption.Type.SPACE) {
      return random.nextBoolean() ? "unlimited" : 1 + random.nextInt(100) + "%";
    }
    return option.format(
        switch (random.nextInt(4)) {
          case 0 -> option.min();
          case 1 -> option.max();
          default -> random.nextLong(option.min(), option.max() + 1);
        });
  }

  @Test
  void everyNeighborOfEveryPolicyCanBeAskedForAndDiffers() {
    Seeds.forEachOfMany(
        SEEDS,
        random -> {
          for (String name : PolicySpec.policyNames()) {
            PolicyLimits host = HOSTS.get(random.nextInt(HOSTS.size()));
            PolicySpec present = random(random, name, host);
            for (Map.Entry<String, PolicySpec> one : PolicyNeighbors.of(present).entrySet()) {
              assertThat(present.with(TuningActions.checked(one.getKey())))
                  .as(present + " with " + one.getKey())
                  .isEqualTo(one.getValue())
                  .isNotEqualTo(present);
            }
          }
        });
  }
}
