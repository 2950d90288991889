// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FigureTest {

  private static CellResult cell(long nanos, long bytes) {
    return new CellResult(
        Benchmark.FILLRANDOM,
        Map.of(
            Measure.OPERATIONS,
            1_000L,
            Measure.OPERATION_NANOS,
            nanos,
            Measure.WAIT_NANOS,
            nanos,
            Measure.ACCEPTED_BYTES,
            100L,
            Measure.FLUSHED_BYTES,
            100L,
            Measure.MERGED_BYTES,
            bytes));
  }

  @Test
  void aRatioAboveOneMeansThatOursIsBetter() {
    CellResult quickAndThrifty = cell(1_000_000, 100);
    CellResult slowAndWasteful = cell(2_000_000, 300);
    for (Figure figure : Figure.of(Benchmark.FILLRANDOM)) {
      if (figure.id().endsWith("rate") || figure.id().equals("wa")) {
        assertThat(figure.ratio(quickAndThrifty, slowAndWasteful)).as(figure.id()).isEqualTo(2);
      }
    }
  }

  @Test
  void theSettledRateChargesTheWait() {
    assertThat(cell(1_000_000, 0).rate()).isEqualTo(1e6);
    assertThat(cell(1_000_000, 0).settledRate()).isEqualTo(5e5);
  }
}
