// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.CompactionFilter;
import io.coppice.base.MergeOperator;

/**
 * Entry hooks: code of the application, and the clock, that decide about entries. Safe to share
 * between threads.
 *
 * @param operator combines operands, or null
 * @param filter inspects values while tables are merged, or null
 * @param clock judges expiry
 */
public record EntryHooks(MergeOperator operator, CompactionFilter filter, StoreClock clock) {

  /** Returns hooks without code of the application, on the system's clock. */
  public static EntryHooks none() {
    return new EntryHooks(null, null, new StoreClock(StoreClock.SYSTEM));
  }
}
