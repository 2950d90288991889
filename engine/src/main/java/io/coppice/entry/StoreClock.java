// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The time by which entries end, in milliseconds since 1970: the system's, but it never goes back.
 * Before an entry is dropped because of its end, the time by which that was decided becomes durable
 * and is the floor of the clock at the next opening, so nothing that ended once comes back. Safe to
 * share between threads.
 */
public final class StoreClock {

  /** The system's time, which may go back. */
  public static final LongSupplier SYSTEM = System::currentTimeMillis;

  private final LongSupplier systemMillis;
  private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

  /** A clock on top of the system's, or of one that a test moves. */
  public StoreClock(LongSupplier systemMillis) {
    this.systemMillis = systemMillis;
  }

  /** From now on no earlier time is told. */
  public void raise(long floorMillis) {
    latest.accumulateAndGet(floorMillis, Math::max);
  }

  /** The time of now, not less than any told before. */
  public long millis() {
    return latest.accumulateAndGet(systemMillis.getAsLong(), Math::max);
  }
}
