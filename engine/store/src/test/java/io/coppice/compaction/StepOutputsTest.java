// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepOutputsTest {

  private static final long TABLE = 4 << 20;

  @Test
  void withRoomThePlanDecides() {
    assertThat(CompactionJob.outputsPerStep(10, 1L << 40, 4, 8, TABLE)).isEqualTo(10);
    assertThat(CompactionJob.outputsPerStep(10, Long.MAX_VALUE, 16, 8, TABLE)).isEqualTo(10);
  }

  @Test
  void theLessRoomTheFewerOutputsAStepDownToOne() {
    int before = Integer.MAX_VALUE;
    boolean[] seen = new boolean[11];
    for (long free = 60 * TABLE; free >= 0; free -= TABLE) {
      int now = CompactionJob.outputsPerStep(10, free, 2, 3, TABLE);
      assertThat(now).isBetween(1, Math.min(10, before));
      seen[now] = true;
      before = now;
    }
    assertThat(seen)
        .containsExactly(false, true, true, true, true, true, true, true, true, true, true);
  }

  @Test
  void aMergeThatWasToCleanAtItsEndOnlyCleansWhereItWouldNotFit() {
    assertThat(CompactionJob.outputsPerStep(Integer.MAX_VALUE, 100 * TABLE, 1, 4, TABLE))
        .isEqualTo(46);
  }
}
