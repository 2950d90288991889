// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.CompactionFilter;
import io.coppice.base.MergeOperator;

/**
 * What of the application, and of its time, decides about entries. Safe to share between threads.
 *
 * @param operator combines operands, or null
 * @param filter looks at values while tables are merged, or null
 * @param clock by which entries end
 */
public record Extensions(MergeOperator operator, CompactionFilter filter, StoreClock clock) {

  /** Without code of the application, on the system's clock. */
  public static Extensions none() {
    return new Extensions(null, null, new StoreClock(StoreClock.SYSTEM));
  }
}
