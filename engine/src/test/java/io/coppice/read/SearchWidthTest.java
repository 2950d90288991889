// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SearchWidthTest {

  @Test
  void whoFindsNothingReadsAllAtOnceHoweverBusyTheDeviceIs() {
    SearchWidth width = new SearchWidth();
    for (int i = 0; i < 10_000; i++) {
      width.learn(17, false);
    }
    for (int inFlight : new int[] {0, 8, 32, 1000}) {
      assertThat(width.choose(inFlight)).as("%d in flight", inFlight).isEqualTo(64);
    }
  }

  @Test
  void whoFindsInTheMiddleReadsFewerTheBusierTheDeviceIs() {
    SearchWidth width = new SearchWidth();
    for (int i = 0; i < 10_000; i++) {
      width.learn(1 + i * 7 % 17, true);
    }
    assertThat(width.choose(0)).isEqualTo(16);
    assertThat(width.choose(32)).isEqualTo(4);
  }

  @Test
  void whoFindsAtOnceReadsOneAfterTheOther() {
    SearchWidth width = new SearchWidth();
    for (int i = 0; i < 10_000; i++) {
      width.learn(1, true);
    }
    assertThat(width.choose(0)).isEqualTo(1);
    assertThat(width.choose(32)).isEqualTo(1);
    width.learn(17, false);
    width.learn(17, false);
    assertThat(width.choose(0)).as("after two that found nothing").isGreaterThan(1);
  }
}
