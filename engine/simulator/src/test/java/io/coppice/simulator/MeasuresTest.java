// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeasuresTest {

  @Test
  void filtersLetAsManyAbsentKeysPassAsTheEnginesDo() {
    assertThat(Measures.falsePositives(0)).isEqualTo(1);
    assertThat(Measures.falsePositives(6)).isEqualTo(1.0 / 32);
    assertThat(Measures.falsePositives(10)).isEqualTo(1.0 / 256);
    assertThat(Measures.falsePositives(20)).isEqualTo(1.0 / 65536);
    assertThat(Measures.falsePositives(64)).isEqualTo(1.0 / 65536);
  }
}
