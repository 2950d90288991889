// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.thread.SeededWorkers;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CompactionRateLimiterTest {

  private static final long SECOND = 1_000_000_000L;

  private final SeededWorkers workers = new SeededWorkers(1);

  @Test
  void mergesGetTheirRateOverAnyLongStretch() {
    CompactionRateLimiter limiter = new CompactionRateLimiter(workers, 1_000_000);
    long start = workers.nanoTime();
    for (int i = 0; i < 500; i++) {
      limiter.pay(20_000, () -> false);
    }
    assertThat(workers.nanoTime() - start).isBetween(10 * SECOND - SECOND / 5, 10 * SECOND);
  }

  @Test
  void idleTimeIsNotSavedUp() {
    CompactionRateLimiter limiter = new CompactionRateLimiter(workers, 1_000_000);
    workers.pass(1_000 * SECOND);
    long start = workers.nanoTime();
    limiter.pay(1_000_000, () -> false);
    assertThat(workers.nanoTime() - start).isEqualTo(SECOND - SECOND / 10);
  }

  @Test
  void withoutALimitNobodyWaits() {
    CompactionRateLimiter limiter =
        new CompactionRateLimiter(workers, CompactionRateLimiter.UNLIMITED);
    long start = workers.nanoTime();
    limiter.pay(Long.MAX_VALUE, () -> false);
    assertThat(workers.nanoTime()).isEqualTo(start);
  }

  @Test
  void anotherLimitHoldsAtOnceAlsoForWhoWaits() {
    CompactionRateLimiter limiter = new CompactionRateLimiter(workers, 1);
    AtomicInteger steps = new AtomicInteger();
    workers.start(
        "raise",
        () -> {
          limiter.bytesPerSecond(
              steps.incrementAndGet() == 1 ? 1_000 : CompactionRateLimiter.UNLIMITED);
          return steps.get() == 1 ? SECOND : Long.MAX_VALUE;
        });
    limiter.pay(1_000_000, () -> false);
    assertThat(workers.nanoTime()).isLessThan(3 * SECOND);
    assertThat(limiter.bytesPerSecond()).isIn(1_000L, CompactionRateLimiter.UNLIMITED);
  }

  @Test
  void whoIsToEndWaitsNoLonger() {
    CompactionRateLimiter limiter = new CompactionRateLimiter(workers, 1);
    AtomicInteger steps = new AtomicInteger();
    workers.start("other", () -> steps.incrementAndGet() < 5 ? SECOND : Long.MAX_VALUE);
    limiter.pay(1_000_000, () -> steps.get() == 3);
    assertThat(steps).hasValue(3);
  }

  @Test
  void whoIsToEndNoticesWithoutASignal() {
    CompactionRateLimiter limiter = new CompactionRateLimiter(workers, 1);
    long start = workers.nanoTime();
    limiter.pay(1_000_000, () -> workers.nanoTime() - start > SECOND);
    assertThat(workers.nanoTime() - start).isLessThan(2 * SECOND);
  }
}
