// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.bench.node.Overlap.Range;
import java.util.List;
import org.junit.jupiter.api.Test;

class OverlapTest {

  private static final Range RING = new Range(Long.MIN_VALUE, Long.MAX_VALUE);
  private static final Range UPPER_HALF = new Range(0, Long.MAX_VALUE);

  @Test
  void nothingLiesOverNothing() {
    assertThat(Overlap.of(List.of())).isEqualTo(new Overlap(0, 0, List.of(1.0)));
  }

  @Test
  void wholeRangesAddUp() {
    Overlap overlap = Overlap.of(List.of(RING, RING, UPPER_HALF));
    assertThat(overlap.max()).isEqualTo(3);
    assertThat(overlap.mean()).isCloseTo(2.5, within(1e-9));
    assertThat(overlap.shares()).containsExactly(0.0, 0.0, 0.5, 0.5);
  }

  @Test
  void rangesThatShareOneTokenOverlapThere() {
    assertThat(Overlap.of(List.of(new Range(0, 5), new Range(5, 9))).max()).isEqualTo(2);
    assertThat(Overlap.of(List.of(new Range(0, 5), new Range(6, 9))).max()).isEqualTo(1);
    assertThat(Overlap.of(List.of(new Range(3, 3))).max()).isEqualTo(1);
  }
}
