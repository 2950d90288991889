// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SearchWidthTest {

  @Test
  void whoFindsNothingReadsAllAtOnceHoweverBusyTheDeviceIs() {
    SearchWidth width = new SearchWidth();
    for (int i = 0; i < 10_000; i++) {
      width.learn(17, false);
    }
    for (int inFlight : new int[] {0, 8, 32, 1000}) {
      assertThat(width.choose(inFlight, new ReadLatencyModel()))
          .as("%d in flight", inFlight)
          .isEqualTo(64);
    }
  }

  @Test
  void whoFindsAtOnceReadsOneAfterTheOther() {
    SearchWidth width = new SearchWidth();
    ReadLatencyModel times = new ReadLatencyModel();
    for (int i = 0; i < 10_000; i++) {
      width.learn(1, true);
    }
    assertThat(width.choose(0, times)).isEqualTo(1);
    assertThat(width.choose(32, times)).isEqualTo(1);
    width.learn(17, false);
    width.learn(17, false);
    assertThat(width.choose(0, times)).as("after two that found nothing").isGreaterThan(1);
  }

  @Test
  void whoFindsInTheMiddleReadsFewerTheMoreThreadsShareTheDevice() {
    assertThat(chosen(60, 10, 1)).isEqualTo(16);
    assertThat(chosen(60, 10, 8)).isBetween(2, 8);
    assertThat(chosen(60, 10, 64)).isBetween(1, 4);
  }

  @Test
  void manyThreadsHaveNothingToWinOfADeviceThatWorksAtOneReadAtATime() {
    assertThat(chosen(20, 100, 8)).isLessThanOrEqualTo(2);
    assertThat(chosen(20, 100, 32)).isLessThanOrEqualTo(2);
  }

  /** What one device gives for nothing another one does not: 60 + 20·n µs, as was measured. */
  @Test
  void howManyDependsOnTheDevice() {
    // Both take the same, to a few in a hundred.
    assertThat(chosen(60, 20, 1)).isBetween(8, 16);
    assertThat(chosen(60, 2, 1)).isGreaterThanOrEqualTo(16);
    assertThat(chosen(60, 20, 8)).isBetween(1, 4);
    assertThat(chosen(8_000, 4_000, 1)).isBetween(4, 16);
  }

  /**
   * How many are chosen most by so many threads that look for keys which lie in any of 17 runs, at
   * a simulated device.
   */
  private static int chosen(double idle, double each, int threads) {
    SearchWidth width = new SearchWidth();
    ReadLatencyModel times = new ReadLatencyModel();
    Random random = Seeds.random(Seeds.seed(1), threads);
    int[] last = new int[threads];
    int[] often = new int[65];
    for (int i = 0; i < 4_000; i++) {
      int hit = random.nextInt(17);
      for (int read = 0; read <= hit; ) {
        int others = 0;
        for (int j = 1; j < threads; j++) {
          others += random.nextInt(8) == 0 ? 0 : last[(i + j) % threads];
        }
        int chosen = width.choose(others, times);
        int own = Math.min(chosen, 17 - read);
        int awaited = Math.max(1, own / 2);
        double micros = (idle + each * (others + awaited)) * (0.7 + 0.6 * random.nextDouble());
        times.began(own);
        times.learn(others, awaited, (long) (1_000 * micros));
        read += own;
        last[i % threads] = own;
        often[chosen] += i < 2_000 ? 0 : 1;
      }
      width.learn(hit + 1, true);
    }
    int most = 1;
    for (int i = 1; i < often.length; i++) {
      most = often[i] > often[most] ? i : most;
    }
    return most;
  }
}
