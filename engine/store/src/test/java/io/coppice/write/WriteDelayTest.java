// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.base.WritePressure;
import org.junit.jupiter.api.Test;

class WriteDelayTest {

  @Test
  void littlePressureIsFree() {
    assertThat(WriteDelay.nanosPerByte(0)).isZero();
    assertThat(WriteDelay.nanosPerByte(WritePressure.FREE)).isZero();
    assertThat(new WriteDelay().book(0, 1 << 30, WritePressure.FREE)).isZero();
  }

  @Test
  void theDelayGrowsSmoothlyWithEachRunUpToTheStop() {
    double before = WriteDelay.FASTEST;
    for (int runs = 21; runs <= WritePressure.STOP_RUNS; runs++) {
      double now = WriteDelay.nanosPerByte((double) runs / WritePressure.STOP_RUNS);
      assertThat(now / before).as("from run " + (runs - 1)).isBetween(1.0, 1.5);
      before = now;
    }
    assertThat(before).isCloseTo(WriteDelay.SLOWEST, within(1e-6));
    assertThat(WriteDelay.nanosPerByte(5)).isEqualTo(before);
  }

  @Test
  void theLastMemtableIsFreeWhileItIsEmptyAndDearWhenItIsFull() {
    assertThat(WriteDelay.nanosPerByte(WriteDelay.ofLastMemtable(0))).isZero();
    assertThat(WriteDelay.ofLastMemtable(1)).isCloseTo(1, within(1e-9));
  }

  @Test
  void writersGetTheRateOfTheirPressureHoweverTheyCutTheirBytes() {
    for (long bytes : new long[] {100, 5_000, 40_000}) {
      WriteDelay delay = new WriteDelay();
      double pressure = 0.75;
      long now = 1_000;
      long written = 0;
      while (written < 20_000_000) {
        now += delay.book(now, bytes, pressure);
        written += bytes;
      }
      double nanosPerByte = (double) now / written;
      assertThat(nanosPerByte / WriteDelay.nanosPerByte(pressure))
          .as(bytes + " each")
          .isBetween(0.95, 1.05);
    }
  }

  @Test
  void aWriterThatIsSlowerThanTheRateIsNotHeldBack() {
    WriteDelay delay = new WriteDelay();
    long now = 0;
    for (int i = 0; i < 1_000; i++) {
      now += 100 * WriteDelay.SLOWEST;
      assertThat(delay.book(now, 50, 1)).isZero();
    }
  }

  @Test
  void noWaitIsLongEvenOfTheLargestGroup() {
    WriteDelay delay = new WriteDelay();
    long now = 0;
    for (int i = 0; i < 10; i++) {
      long wait = delay.book(now, 256 << 20, 1);
      assertThat(wait).isEqualTo(WriteDelay.MAX_WAIT_NANOS);
      now += wait;
    }
    assertThat(delay.book(now + WriteDelay.MAX_CARRIED_NANOS, 10, 1)).isZero();
  }
}
