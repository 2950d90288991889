// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class CapacityTest {

  private static List<Capacity> first(String policy) {
    PolicySpec spec = PolicySpec.parse(policy);
    return List.of(Capacity.of(spec, 0), Capacity.of(spec, 1), Capacity.of(spec, 2));
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
    assertThat(first("lazy-binomial,k=5")).containsExactly(none(), runs(5), none());
    assertThat(first("tiered")).containsOnly(none());
    assertThat(first("adaptive")).containsOnly(none());
    PolicySpec deep = PolicySpec.parse("leveled");
    assertThat(Capacity.of(deep, deep.limits().maxLevel())).isEqualTo(none());
    assertThat(Capacity.of(deep, deep.limits().maxLevel() - 1)).isEqualTo(none());
  }
}
