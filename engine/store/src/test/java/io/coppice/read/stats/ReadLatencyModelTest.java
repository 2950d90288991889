// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class ReadLatencyModelTest {

  private final ReadLatencyModel times = new ReadLatencyModel();

  @Test
  void aDeviceThatNobodyHasReadFromIsAUsualOne() {
    assertThat(times.idle()).isEqualTo(60, within(0.1f));
    assertThat(times.each()).isEqualTo(10, within(0.1f));
    assertThat(times.threads(0)).isEqualTo(1);
  }

  @Test
  void bothPartsOfWhatReadsTakeAreLearntFromDifferentNumbersOfReads() {
    learn(10_000, 45, 19);
    // Drawn to those of a usual device.
    assertThat(times.idle()).isCloseTo(45, Percentage.withPercentage(30));
    assertThat(times.each()).isCloseTo(19, Percentage.withPercentage(10));
  }

  @Test
  void aSlowDeviceIsLearntAsWellAsAFastOne() {
    learn(10_000, 8_000, 4_000);
    assertThat(times.idle()).isCloseTo(8_000, Percentage.withPercentage(40));
    assertThat(times.each()).isCloseTo(4_000, Percentage.withPercentage(10));
    learn(10_000, 9, 1);
    assertThat(times.idle()).isCloseTo(9, Percentage.withPercentage(15));
    assertThat(times.each()).isCloseTo(1, Percentage.withPercentage(10));
  }

  /** Then nothing is known of the slope but what is usual. */
  @Test
  void oneNumberOfReadsTellsTheirTimeAndNoMore() {
    for (int i = 0; i < 1_000; i++) {
      times.learn(7, 1, 350_000);
    }
    assertThat(times.idle() + 8 * times.each()).isCloseTo(350, Percentage.withPercentage(1));
    assertThat(times.each()).isCloseTo(350 / 14f, Percentage.withPercentage(20));
  }

  @Test
  void neitherPartIsEverNothing() {
    for (int i = 0; i < 10_000; i++) {
      int reads = 1 + i * 7 % 17;
      times.learn(0, reads, 1_000L * (500 - 20 * reads));
      assertThat(times.each()).isPositive();
      assertThat(times.idle()).isPositive();
    }
    for (int i = 0; i < 10_000; i++) {
      int reads = 1 + i * 7 % 17;
      times.learn(0, reads, 1_000L * reads * reads);
      assertThat(times.each()).isPositive();
      assertThat(times.idle()).isPositive();
    }
  }

  @Test
  void oneReadThatWasHeldUpCountsLittle() {
    learn(1_000, 60, 10);
    float before = times.each();
    times.learn(0, 16, 5_000_000_000L);
    assertThat(times.each()).isCloseTo(before, Percentage.withPercentage(80));
    learn(500, 60, 10);
    assertThat(times.each()).isCloseTo(before, Percentage.withPercentage(5));
  }

  @Test
  void whatCameFromMemoryTeachesNothing() {
    times.learn(0, 16, 0);
    times.learn(0, 1, 7_999);
    assertThat(times.each()).isEqualTo(10, within(0.1f));
  }

  @Test
  void howManyThreadsShareTheDeviceIsToldByWhatEachHasInFlight() {
    for (int i = 0; i < 1_000; i++) {
      times.began(2);
      times.learn(14, 2, 400_000);
    }
    assertThat(times.threads(14)).isCloseTo(8, Percentage.withPercentage(1));
  }

  private void learn(int often, long idle, long each) {
    for (int i = 0; i < often; i++) {
      int others = i * 5 % 23;
      int own = 1 + i * 3 % 8;
      times.learn(others, own, 1_000 * (idle + each * (others + own)));
    }
  }
}
