// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CombinadicTest {

  @Test
  void aDigitIsReadBackFromItsBinomial() {
    for (int i = 1; i <= 64; i++) {
      for (long c = i; c < i + 40; c++) {
        assertThat(Combinadic.digit(Combinadic.choose(c, i), i)).as("C(%d, %d)", c, i).isEqualTo(c);
      }
    }
    assertThat(Combinadic.digit(1e9, 1)).isEqualTo(1_000_000_000L);
  }

  @Test
  void theNearestBinomialCounts() {
    // C(4, 2) = 6 and C(5, 2) = 10 meet at 8, which still belongs to the lower.
    assertThat(Combinadic.digit(8, 2)).isEqualTo(4);
    assertThat(Combinadic.digit(8.01, 2)).isEqualTo(5);
    assertThat(Combinadic.digit(0.4, 3)).isEqualTo(2);
    assertThat(Combinadic.digit(0.6, 3)).isEqualTo(3);
  }

  @Test
  void choosesAsPascalDid() {
    assertThat(Combinadic.choose(5, 2)).isEqualTo(10);
    assertThat(Combinadic.choose(30, 15)).isEqualTo(155_117_520);
    assertThat(Combinadic.choose(3, 4)).isZero();
    assertThat(Combinadic.choose(1L << 40, 64)).isGreaterThan(1e300);
  }
}
