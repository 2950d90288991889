// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.suite.RecordJson;
import org.junit.jupiter.api.Test;

class SpaceTest {

  @Test
  void readsWhatItWrote() {
    Space space = new Space(1.5, 2.25, 300, 200, 50, 60, 4, 2.875, 1e8, 17);
    assertThat(RecordJson.parse(RecordJson.line(space), Space.class)).isEqualTo(space);
    assertThat(space.peakOverLive()).isEqualTo(1.5);
  }
}
