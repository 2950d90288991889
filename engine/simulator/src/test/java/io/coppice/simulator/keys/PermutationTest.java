// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermutationTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64, 65, 1000, 100_000})
  void everyNumberIsTheImageOfOne(int size) {
    for (long seed = 0; seed < 5; seed++) {
      Permutation permutation = new Permutation(size, seed);
      BitSet images = new BitSet();
      for (int i = 0; i < size; i++) {
        images.set(permutation.of(i));
      }
      assertThat(images.cardinality()).as("size " + size + ", seed " + seed).isEqualTo(size);
      assertThat(images.length()).isEqualTo(size);
    }
  }

  @Test
  void anyStretchOfNumbersSpreadsEvenly() {
    int size = 1_000_000;
    int stretch = 20_000;
    int cells = 100;
    Permutation permutation = new Permutation(size, 3);
    for (int from = 0; from < size; from += 5 * stretch) {
      long[] counts = new long[cells];
      for (int i = from; i < from + stretch; i++) {
        counts[permutation.of(i) / (size / cells)]++;
      }
      assertThat(ZipfTest.chiSquare(counts, cell -> (double) stretch / cells))
          .as("from " + from)
          .isLessThan(ZipfTest.rarelyExceeded(cells - 1));
    }
  }
}
