// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.MemoryBudget;
import java.util.List;

/**
 * How blocks are to be read at once.
 *
 * @param kind one of {@link #KINDS}; {@code auto} takes the first that works here, in their order
 * @param direct past the page cache, where the file system can
 * @param memory the ledger for the buffers
 */
public record BlockReaderOptions(String kind, boolean direct, MemoryBudget memory) {

  /** What can be asked for. */
  public static final List<String> KINDS = List.of("auto", "ring", "pool", "serial");
}
