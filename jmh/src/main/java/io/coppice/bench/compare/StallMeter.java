// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.bench.compare.report.Figures;
import java.util.function.LongSupplier;

/**
 * Meter of write stalls. A stall is a period of more than 100 ms with a pending write and no
 * answer. Thread-safe.
 */
final class StallMeter {

  private static final long LIMIT_NANOS = 100_000_000;

  private final LongSupplier nanos;

  @GuardedBy("this")
  private int underWay;

  @GuardedBy("this")
  private long quietSince;

  @GuardedBy("this")
  private int count;

  @GuardedBy("this")
  private long stalledNanos;

  @GuardedBy("this")
  private int slow;

  /** Creates a meter on a clock of nanoseconds. */
  StallMeter(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Records the start of a write. Returns the time to pass to {@link #end}. */
  synchronized long begin() {
    long now = nanos.getAsLong();
    if (underWay++ == 0) {
      quietSince = now;
    }
    return now;
  }

  /** Records the answer to a write, with the time that {@link #begin} returned for it. */
  synchronized void end(long start) {
    long now = nanos.getAsLong();
    if (now - quietSince > LIMIT_NANOS) {
      count++;
      stalledNanos += now - quietSince;
    }
    if (now - start > LIMIT_NANOS) {
      slow++;
    }
    quietSince = now;
    underWay--;
  }

  synchronized Figures.Stalls stalls() {
    return new Figures.Stalls(count, stalledNanos / 1_000_000, slow);
  }
}
