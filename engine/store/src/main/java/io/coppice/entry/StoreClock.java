// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Clock for the expiry of entries, in milliseconds since 1970: the system's time, except that it
 * never goes back. Before an entry is dropped because it expired, the time of that decision becomes
 * durable. It is the floor of the clock at the next opening, so an expired entry never reappears.
 * Safe to share between threads.
 */
public final class StoreClock {

  /** System time in milliseconds, which may go back. */
  public static final LongSupplier SYSTEM = System::currentTimeMillis;

  private final LongSupplier systemMillis;
  private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

  /** Creates a clock on the system's time, or on one that a test controls. */
  public StoreClock(LongSupplier systemMillis) {
    this.systemMillis = systemMillis;
  }

  /** Raises the clock to at least this time, in milliseconds since 1970. */
  public void raise(long floorMillis) {
    latest.accumulateAndGet(floorMillis, Math::max);
  }

  /** Returns the present time in milliseconds since 1970, never less than before. */
  public long millis() {
    return latest.accumulateAndGet(systemMillis.getAsLong(), Math::max);
  }
}
