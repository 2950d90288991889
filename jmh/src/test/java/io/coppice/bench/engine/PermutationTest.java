// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermutationTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 1000, 1024, 65_537})
  void meetsEveryNumberOnce(long bound) {
    Permutation permutation = new Permutation(bound, 42);
    BitSet met = new BitSet();
    for (long place = 0; place < bound; place++) {
      met.set((int) permutation.at(place));
    }
    assertThat(met.cardinality()).isEqualTo((int) bound);
    assertThat(met.length()).isEqualTo((int) bound);
  }
}
