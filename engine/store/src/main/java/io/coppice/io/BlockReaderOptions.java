// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.MemoryBudget;
import java.util.List;

/**
 * Options of batched block reads.
 *
 * @param kind one of {@link #KINDS}; {@code auto} selects the first kind that works here, in their
 *     order
 * @param direct whether to bypass the page cache if the file system supports it
 * @param memory memory budget for the buffers
 */
public record BlockReaderOptions(String kind, boolean direct, MemoryBudget memory) {

  /** Names of the kinds of reader. */
  public static final List<String> KINDS = List.of("auto", "ring", "pool", "serial");
}
