// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EstimateTest {

  private static Estimate estimate(String... options) {
    return Estimate.of(Results.options(options));
  }

  @Test
  void everyNodeCostsTheSame() {
    Estimate one = estimate("strategies", "lcs");
    assertThat(estimate().runs()).isEqualTo(6);
    assertThat(estimate().seconds()).isEqualTo(6 * one.seconds());
    assertThat(estimate("repeats", "3").seconds()).isEqualTo(18 * one.seconds());
    assertThat(estimate("strategies", "all").seconds()).isEqualTo(11 * one.seconds());
  }

  @Test
  void moreDataTakesLongerAndMajorsAloneAreShorter() {
    assertThat(estimate("scale", "tiny").run()).isLessThan(estimate().run());
    assertThat(estimate().run()).isLessThan(estimate("scale", "small").run());
    assertThat(estimate("scale", "small").run()).isLessThan(estimate("scale", "large").run());
    assertThat(estimate("majors-only", "true").run()).isLessThan(estimate().run());
  }

  @Test
  void theDefaultFitsIntoFiveMinutesOfTwoIdleCores() {
    assertThat(estimate().seconds()).isBetween(120.0, 300.0);
  }

  @Test
  void anEarlierPhaseIsDoneWhenALaterOneRuns() {
    Estimate estimate = estimate();
    double last = 0;
    for (ComparisonProgress.Phase phase : ComparisonProgress.Phase.values()) {
      assertThat(estimate.done(phase, 0)).isEqualTo(last);
      last = estimate.done(phase, 1);
    }
    assertThat(last).isEqualTo(estimate.run());
  }

  @Test
  void aBusyMachineIsSaidToTakeLonger() {
    assertThat(Estimate.slowness(2, 1.9)).isEqualTo(1);
    assertThat(Estimate.slowness(16, 1.9)).isEqualTo(1);
    assertThat(Estimate.slowness(1, 1)).isEqualTo(1.4);
    assertThat(Estimate.slowness(2, 0.5)).isEqualTo(2);
    assertThat(Estimate.slowness(1, 0.25)).isEqualTo(2.8);
    Estimate hundred = new Estimate(Map.of(ComparisonProgress.Phase.LOAD, 100.0), 3);
    assertThat(hundred.sentence(2, 2))
        .isEqualTo("this takes about 5 minutes: 3 runs of about 100 s, each on a fresh node");
    assertThat(hundred.sentence(2, 0.5))
        .isEqualTo(
            "this takes about 10 minutes: 3 runs of about 200 s, each on a fresh node;"
                + " on two idle cores it is 5 minutes");
  }

  @Test
  void phasesAreTimedWithTheProcessorTimeOfBothProcesses() {
    long[] now = new long[2];
    PhaseClock clock = new PhaseClock(() -> now[0], () -> now[1]);
    now[0] = 10_000_000_000L;
    now[1] = 1_000_000_000L;
    clock.next(ComparisonProgress.Phase.RESTART, Duration.ofSeconds(8));
    now[0] = 15_000_000_000L;
    // Another node, which has used three seconds since its start.
    clock.end(Duration.ofSeconds(3));
    now[0] = 16_000_000_000L;
    clock.end(Duration.ofSeconds(4));
    assertThat(clock.times())
        .containsExactly(
            Map.entry(ComparisonProgress.Phase.START, new Figures.PhaseTime(10, 9)),
            Map.entry(ComparisonProgress.Phase.RESTART, new Figures.PhaseTime(6, 4)));
  }
}
