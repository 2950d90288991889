// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {

  @Test
  void withoutOperationsAllIsNothing() {
    LatencyHistogram none = new LatencyHistogram();
    assertThat(none.count()).isZero();
    assertThat(none.maxNanos()).isZero();
    assertThat(none.nanosAt(0.99)).isZero();
  }

  @Test
  void aShareIsAtMostA128thTooMuch() {
    long seed = 7;
    Random random = new Random(seed);
    for (int bits = 1; bits < Long.SIZE; bits++) {
      long[] values = new long[1000];
      LatencyHistogram counted = new LatencyHistogram();
      LatencyHistogram half = new LatencyHistogram();
      for (int i = 0; i < values.length; i++) {
        values[i] = random.nextLong() >>> (Long.SIZE - bits);
        (i % 2 == 0 ? counted : half).record(values[i]);
      }
      counted.add(half);
      Arrays.sort(values);
      assertThat(counted.count()).isEqualTo(values.length);
      assertThat(counted.maxNanos()).isEqualTo(values[values.length - 1]);
      for (double share : new double[] {0, 0.001, 0.5, 0.95, 0.99, 0.999, 1}) {
        long exact = values[Math.max(1, (int) Math.ceil(share * values.length)) - 1];
        assertThat(counted.nanosAt(share) - exact)
            .as("%s of values of %s bits, seed %s", share, bits, seed)
            .isBetween(0L, exact / 128);
      }
    }
  }

  @Test
  void lessThanNothingAndTheMostCountToo() {
    LatencyHistogram counted = new LatencyHistogram();
    counted.record(-1);
    counted.record(Long.MAX_VALUE);
    assertThat(counted.nanosAt(0.5)).isZero();
    assertThat(counted.nanosAt(1)).isEqualTo(Long.MAX_VALUE);
  }
}
