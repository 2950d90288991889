// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class SampledLookupsTest {

  private static final int NUMBERS = 1 << 20;

  @Test
  void ofEveryStepTheSameShareIsSampled() {
    for (int oneOf : new int[] {16, 64}) {
      for (int step = 1; step <= 128; step++) {
        int[] sampled = new int[step];
        for (int number = 0; number < NUMBERS; number++) {
          sampled[number % step] += LookupState.sampled(number, oneOf) ? 1 : 0;
        }
        for (int at = 0; at < step; at++) {
          assertThat((double) sampled[at] * step * oneOf / NUMBERS)
              .as("one of %d, at %d of %d", oneOf, at, step)
              .isCloseTo(1, Percentage.withPercentage(20));
        }
      }
    }
  }

  @Test
  void theFirstIsSampled() {
    assertThat(LookupState.sampled(0, 16)).isTrue();
  }
}
