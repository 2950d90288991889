// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.util.concurrent.atomic.AtomicInteger;

/** Limit of a number of resources that are in use at once. Safe to share between threads. */
abstract sealed class CountBudget permits DescriptorBudget, MappingBudget {

  private final int capacity;
  private final AtomicInteger used = new AtomicInteger();

  CountBudget(int capacity) {
    this.capacity = capacity;
  }

  /** Counts one more resource; returns false if the limit is reached. */
  public final boolean tryTake() {
    int now = used.get();
    while (now < capacity) {
      int witness = used.compareAndExchange(now, now + 1);
      if (witness == now) {
        return true;
      }
      now = witness;
    }
    return false;
  }

  /** Counts one resource less. */
  public final void giveBack() {
    int left = used.decrementAndGet();
    assert left >= 0 : left;
  }

  /** Returns the number of resources in use that this budget counts. */
  public final int used() {
    return used.get();
  }
}
