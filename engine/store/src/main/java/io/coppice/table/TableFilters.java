// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.MemoryBudget;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.OffHeapMemory;
import io.coppice.table.filter.BinaryFuseFilter;
import io.coppice.table.filter.FilterBuilder;
import io.coppice.table.filter.FilterGeometry;
import io.coppice.table.filter.FilterOptions;
import java.util.function.LongPredicate;

/**
 * Builder of the filter of a table without the table, for benchmarks. One thread at a time may call
 * it.
 */
public final class TableFilters {

  private static final FilterBuilder BUILDER = new FilterBuilder();

  private TableFilters() {}

  /**
   * Returns the filter of a table whose keys have these hashes; its memory is never freed. It is
   * false only for a hash that certainly is none of them.
   *
   * @param bitsPerKey as in {@link FilterOptions}, not 0
   */
  public static LongPredicate of(long[] hashes, int bitsPerKey) {
    FilterGeometry shape =
        FilterGeometry.of(hashes.length, FilterOptions.fingerprintBits(bitsPerKey));
    byte[] bytes = made(hashes, shape);
    OffHeapMemory memory =
        OffHeapMemory.allocate(
            new OffHeapAllocator(),
            MemoryBudget.ofBytes(bytes.length),
            MemoryBudget.Role.FILTER,
            bytes.length,
            1);
    memory.bytes().put(0, bytes);
    return new BinaryFuseFilter(memory, shape, BUILDER.seed())::mayContain;
  }

  /**
   * Returns the fingerprints of the filter of a table whose keys have these hashes, as its slot in
   * the filter file holds them.
   */
  public static byte[] bytes(long[] hashes, int bitsPerKey) {
    return made(
        hashes, FilterGeometry.of(hashes.length, FilterOptions.fingerprintBits(bitsPerKey)));
  }

  private static byte[] made(long[] hashes, FilterGeometry shape) {
    byte[] bytes = new byte[shape.bytes()];
    if (!BUILDER.build(hashes, shape, 0, bytes, 0)) {
      throw new IllegalStateException("no places for " + hashes.length + " hashes");
    }
    return bytes;
  }
}
