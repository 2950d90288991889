// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.watching;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchingTest {

  @TempDir Path directory;

  @Test
  void bothSidesDoTheSameAndTellWhatItCost() throws Exception {
    for (boolean on : new boolean[] {true, false}) {
      Costs costs = WatchingProcess.measure(on, directory.resolve("store"), 5000, 7);
      assertThat(costs.fillNanos()).isNotNegative();
      assertThat(costs.readNanos()).isNotNegative();
      assertThat(costs.fillBytes()).isNotNegative();
      assertThat(Costs.of(costs.words())).isEqualTo(costs);
    }
    assertThat(directory).isEmptyDirectory();
  }
}
