// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConcurrentLatencyHistogramTest {

  @Test
  void aShareIsRightButForAnEighth() {
    long seed = Seeds.seed(5);
    Random random = new Random(seed);
    long[] nanos = new long[5_000];
    ConcurrentLatencyHistogram latencies = new ConcurrentLatencyHistogram();
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = random.nextLong() >>> (2 + random.nextInt(62));
      latencies.add(nanos[i]);
    }
    Arrays.sort(nanos);
    assertThat(latencies.count()).isEqualTo(nanos.length);
    for (double share : new double[] {0.001, 0.01, 0.5, 0.9, 0.99, 1}) {
      long exact = nanos[(int) Math.ceil(share * nanos.length) - 1];
      assertThat(latencies.nanos(share))
          .as("%s, %s", share, Seeds.replay(getClass(), seed))
          .isBetween(exact, exact + exact / 8);
    }
  }

  @Test
  void thereIsNoTimeWhereNothingWasCounted() {
    ConcurrentLatencyHistogram latencies = new ConcurrentLatencyHistogram();
    assertThat(latencies.nanos(0.5)).isZero();
    latencies.add(-1);
    latencies.add(Long.MAX_VALUE);
    assertThat(latencies.nanos(0.5)).isZero();
    assertThat(latencies.nanos(1)).isEqualTo(Long.MAX_VALUE);
  }
}
