// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.simulator.Forecast;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrialTest {

  private static Trial.Result result(long transientBytes, long freeBytes) {
    Forecast present = new Forecast(1, 1, 1, 1, 1, 1, 1, 1, Long.MAX_VALUE, true);
    Forecast proposed = new Forecast(1, 1, 1, 1, 1, 1, 1, 1, transientBytes, true);
    return new Trial.Result(
        present, proposed, "leveled", 0, 0, 1, 1, freeBytes, Optional.empty(), List.of());
  }

  @Test
  void whatIsProposedOverfillsADiskThatHasLessRoomThanOneOfItsMerges() {
    assertThat(result(11, 10).overfills()).isTrue();
    assertThat(result(10, 10).overfills()).isFalse();
    assertThat(result(1, 0).overfills()).isTrue();
    assertThat(result(11, -1).overfills()).as("not known").isFalse();
  }
}
