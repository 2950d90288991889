// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CounterWindowTest {

  private static final long MINUTE = CounterWindow.HOUR / 60;

  @Test
  void whatGrewBeforeTheWindowIsLeftOut() {
    CounterWindow window = new CounterWindow(CounterWindow.HOUR);
    for (int minute = 0; minute <= 600; minute++) {
      double[] grown = window.since(minute * MINUTE, minute, 1000);
      assertThat(grown).containsExactly(Math.min(minute, 60), 0);
    }
  }

  @Test
  void manyLooksNeitherShortenTheWindowNorFillIt() {
    CounterWindow window = new CounterWindow(CounterWindow.HOUR);
    double[] grown = {};
    for (int second = 0; second <= 7200; second++) {
      grown = window.since(second * (MINUTE / 60), second);
    }
    assertThat(grown[0]).isBetween(3600.0, 3660.0);
  }

  @Test
  void afterAPauseTheWindowReachesBackToTheLookBeforeIt() {
    CounterWindow window = new CounterWindow(CounterWindow.HOUR);
    window.since(0, 0);
    window.since(30 * MINUTE, 5);
    assertThat(window.since(600 * MINUTE, 9)).containsExactly(4);
    assertThat(window.since(601 * MINUTE, 9)).containsExactly(0 + 4);
    assertThat(window.since(661 * MINUTE, 12)).containsExactly(3);
  }

  @Test
  void thePaceOfStepsIsWhatTheyWroteWhileTheyWorked() {
    CompactionThroughput pace = new CompactionThroughput();
    assertThat(pace.seconds(0)).isZero();
    assertThat(pace.seconds(10)).isEqualTo(-1);
    for (int step = 0; step < 10; step++) {
      pace.worked(1_000_000_000L);
      pace.wrote(500);
    }
    assertThat(pace.bytesPerSecond()).isBetween(480.0, 520.0);
    assertThat(pace.seconds(5000)).isBetween(9L, 11L);
  }
}
