// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoadTest {

  private static Load load(double writtenBytes, long tableBytes) {
    return new Load(
        60, 1, writtenBytes, 10, 0, 0, 0, 2000, 1, 0, 1000, 10, tableBytes, tableBytes / 100);
  }

  @Test
  void aShardThatIsHardlyWrittenHasATenthOfAnEqualShareOfAFlush() {
    for (double hardly : new double[] {0, 1e-300, 1e-9}) {
      List<Load> parts =
          load(1000, 200_000).parts(List.of(load(1000, 100_000), load(hardly, 100_000)));
      assertThat(parts.get(0).flushesHeld()).as("written").isCloseTo(100, within(1e-6));
      assertThat(parts.get(1).flushesHeld()).as("hardly").isCloseTo(2000, within(1e-6));
    }
  }
}
