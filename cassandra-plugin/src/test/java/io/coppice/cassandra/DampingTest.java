// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.observe.CompactionThroughput;
import io.coppice.policy.step.TokenShards;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the damping: which flushes count, and how their pieces do. */
final class DampingTest {

  private static final long TABLE = 100;
  private static final long SECOND = 1_000_000_000L;

  private final AtomicInteger notified = new AtomicInteger();
  private final NotifyingReadMeter.Listener listener = notified::incrementAndGet;
  private final NotifyingReadMeter meter = NotifyingReadMeter.of(null);

  @Test
  void aMeterTellsOnceAndCountsFromWhenItWasAsked() {
    meter.mark();
    meter.await(3, listener);
    meter.mark();
    meter.mark();
    assertThat(meter.ripe()).isFalse();
    meter.mark();
    assertThat(meter.ripe()).isTrue();
    meter.mark();
    assertThat(notified).hasValue(1);
    assertThat(meter.count()).isEqualTo(5);
    assertThat(meter.awaited()).isEqualTo(4);
  }

  @Test
  void askedAgainItGoesOnCountingAndAtRestItForgets() {
    meter.await(3, listener);
    meter.mark();
    meter.await(4, listener);
    meter.mark();
    meter.mark();
    assertThat(meter.ripe()).isFalse();
    meter.mark();
    assertThat(meter.ripe()).isTrue();
    meter.await(10, listener);
    assertThat(meter.ripe()).isFalse();
    meter.await(Long.MAX_VALUE, listener);
    assertThat(meter.ripe()).isFalse();
    meter.rest();
    assertThat(meter.awaited()).isZero();
    meter.mark(100);
    assertThat(meter.ripe()).isFalse();
    meter.await(3, listener);
    assertThat(meter.ripe()).isFalse();
    assertThat(notified).hasValue(1);
  }

  @Test
  void aMeterGoesOnWithTheRatesOfTheOneBefore() {
    assertThat(NotifyingReadMeter.of(meter)).isSameAs(meter);
    NotifyingReadMeter next =
        NotifyingReadMeter.of(new org.apache.cassandra.metrics.RestorableMeter(7, 9));
    assertThat(next.fifteenMinuteRate()).isEqualTo(7);
    assertThat(next.twoHourRate()).isEqualTo(9);
  }

  @Test
  void flushesAreCutIntoAPowerOfTwoOfAboutTables() {
    assertThat(TokenShards.countForFlush(Double.NaN, TABLE, 1)).isEqualTo(1);
    assertThat(TokenShards.countForFlush(0, TABLE, 1)).isEqualTo(1);
    assertThat(TokenShards.countForFlush(TABLE, TABLE, 1)).isEqualTo(1);
    assertThat(TokenShards.countForFlush(TABLE + 1, TABLE, 1)).isEqualTo(2);
    assertThat(TokenShards.countForFlush(3 * TABLE, TABLE, 1)).isEqualTo(4);
    assertThat(TokenShards.countForFlush(4 * TABLE, TABLE, 1)).isEqualTo(4);
    assertThat(TokenShards.countForFlush(1e18, TABLE, 1)).isEqualTo(32);
    assertThat(TokenShards.countForFlush(Double.NaN, TABLE, 2)).isEqualTo(4);
    assertThat(TokenShards.countForFlush(TABLE, TABLE, 3)).isEqualTo(8);
    assertThat(TokenShards.countForFlush(TABLE, TABLE, 8)).isEqualTo(16);
    assertThat(TokenShards.countForFlush(20 * TABLE, TABLE, 8)).isEqualTo(32);
    assertThat(TokenShards.countForFlush(1e18, TABLE, 8)).isEqualTo(32);
  }

  @Test
  void whatCostsNothingNeedsNoRestAndTheRestAHundredth() {
    assertThat(CpuThrottle.rest(0)).isZero();
    assertThat(CpuThrottle.rest(5_000_000)).isZero();
    assertThat(CpuThrottle.rest(15_000_000)).isEqualTo(SECOND);
    assertThat(CpuThrottle.rest(Long.MAX_VALUE)).isEqualTo(30 * SECOND);
    AtomicInteger done = new AtomicInteger();
    CpuThrottle throttle = new CpuThrottle();
    throttle.after(done::incrementAndGet);
    assertThat(done).hasValue(1);
  }

  @Test
  void thePaceIsThatOfBusySeconds() {
    CompactionThroughput pace = new CompactionThroughput();
    assertThat(pace.bytesPerSecond()).isZero();
    pace.at(0, true);
    pace.wrote(1000);
    pace.at(10 * SECOND, false);
    pace.at(1000 * SECOND, true);
    assertThat(pace.bytesPerSecond()).isBetween(95.0, 100.0);
    pace.wrote(3000);
    pace.at(1010 * SECOND, false);
    assertThat(pace.bytesPerSecond()).isBetween(190.0, 202.0);
  }
}
