// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.MemoryBudget;
import java.util.function.LongPredicate;

/** The filters of tables by themselves, which the engine keeps to itself, for benchmarks. */
public final class TableFilters {

  private static final FilterBuilder BUILDER = new FilterBuilder();

  private TableFilters() {}

  /** The filter of a table with keys of these hashes; its memory is not given back. */
  public static LongPredicate of(long[] hashes, int bitsPerKey) {
    FilterShape shape = FilterShape.of(hashes.length, FilterOptions.fingerprintBits(bitsPerKey));
    byte[] bytes = made(hashes, shape);
    OffHeap memory =
        OffHeap.allocate(
            new DirectMemory(),
            MemoryBudget.ofBytes(bytes.length),
            MemoryBudget.Role.FILTER,
            bytes.length,
            1);
    memory.bytes().put(0, bytes);
    return new Filter(memory, shape, BUILDER.seed())::mayContain;
  }

  /** What of it goes to the file. */
  public static byte[] bytes(long[] hashes, int bitsPerKey) {
    return made(hashes, FilterShape.of(hashes.length, FilterOptions.fingerprintBits(bitsPerKey)));
  }

  private static byte[] made(long[] hashes, FilterShape shape) {
    byte[] bytes = new byte[shape.bytes()];
    if (!BUILDER.build(hashes, shape, 0, bytes, 0)) {
      throw new IllegalStateException("no places for " + hashes.length + " hashes");
    }
    return bytes;
  }
}
