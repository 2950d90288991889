// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import io.coppice.base.MemoryBudget.Role;
import java.util.concurrent.atomic.AtomicReference;

/** Ledgers that give one role less than what they have. */
public final class LimitedBudget {

  private LimitedBudget() {}

  /** A ledger of this capacity, of which one role gets at most a part, but for races. */
  public static MemoryBudget of(long capacityBytes, Role limited, long limitBytes) {
    AtomicReference<MemoryBudget> self = new AtomicReference<>();
    MemoryBudget budget =
        new MemoryBudget(
            capacityBytes,
            (role, bytes) ->
                role != limited || self.get().usedBytes(limited) + bytes <= limitBytes);
    self.set(budget);
    return budget;
  }
}
