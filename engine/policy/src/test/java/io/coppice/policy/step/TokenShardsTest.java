// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TokenShardsTest {

  @Test
  void aShardHoldsAboutOneTable() {
    for (double tables = 0.01; tables < 5000; tables *= 1.07) {
      int shards = TokenShards.countForOutputs(tables * 1000, 1000);
      assertThat(Integer.bitCount(shards)).isEqualTo(1);
      assertThat(tables / shards).isLessThanOrEqualTo(Math.sqrt(2) + 1e-9);
      if (shards > 1) {
        assertThat(tables / shards).isGreaterThanOrEqualTo(Math.sqrt(0.5) - 1e-9);
      }
    }
  }

  @Test
  void withoutASizeOrALimitThereIsOneShard() {
    assertThat(TokenShards.countForOutputs(0, 1000)).isEqualTo(1);
    assertThat(TokenShards.countForOutputs(Double.NaN, 1000)).isEqualTo(1);
    assertThat(TokenShards.countForOutputs(1e18, Long.MAX_VALUE)).isEqualTo(1);
  }
}
