// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ZipfDrawsTest {

  private static final int COUNT = 1000;
  private static final int DRAWS = 200_000;

  @Test
  void popularKeysComeAsOftenAsTheLawSays() {
    ZipfDraws draws = new ZipfDraws(42, COUNT, 0.99);
    int[] seen = new int[COUNT];
    for (int i = 0; i < DRAWS; i++) {
      seen[draws.next()]++;
    }
    double sum = 0;
    for (int rank = 1; rank <= COUNT; rank++) {
      sum += Math.pow(rank, -0.99);
    }
    int[] sorted = java.util.Arrays.stream(seen).sorted().toArray();
    assertThat(sorted[COUNT - 1] / (double) DRAWS).isCloseTo(1 / sum, within(0.01));
    assertThat(sorted[COUNT - 2] / (double) DRAWS)
        .isCloseTo(Math.pow(2, -0.99) / sum, within(0.01));
    assertThat(sorted[COUNT / 2]).isPositive();
  }

  @Test
  void aPermutationDrawsEveryKeyOnce() {
    KeyDraws once = KeyDraws.once(COUNT, 7);
    assertThat(java.util.stream.IntStream.range(0, COUNT).map(i -> once.next()).distinct().count())
        .isEqualTo(COUNT);
  }
}
