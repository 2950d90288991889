// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import io.coppice.policy.Figure;

/**
 * Metrics of a store beside those of compaction, which {@link Figure} names; {@code
 * docs/reference/metrics.md} is generated from both lists.
 */
public enum StoreFigure {
  /** Bytes of keys and values written, with frames. */
  ACCEPTED_BYTES("AcceptedBytes", Figure.GROWS, "bytes"),
  /** Writes that waited for flushes or merges. */
  STALLS("Stalls", Figure.GROWS, "writes"),
  /** Total duration of these waits. */
  STALLED_NANOS("StalledNanos", Figure.GROWS, "ns"),
  /** Present delay of writers per byte; 0 if flushes and merges keep up. */
  WRITE_DELAY("WriteDelayNanosPerByte", Figure.NOW, "ns"),
  /** Off-heap memory taken from the budget by all its stores. */
  MEMORY_BYTES("MemoryBytes", Figure.NOW, "bytes"),
  /** Memory of the block cache. */
  CACHE_BYTES("CacheBytes", Figure.NOW, "bytes"),
  /** Blocks found in the cache. */
  CACHE_HITS("CacheHits", Figure.GROWS, "blocks"),
  /** Blocks that had to be read. */
  CACHE_MISSES("CacheMisses", Figure.GROWS, "blocks"),
  /** Tables whose filter is in memory. */
  FILTERS_LOADED("FiltersLoaded", Figure.NOW, "tables"),
  /** Tables whose filter is missing from memory; lookups search them without one. */
  FILTERS_ABSENT("FiltersAbsent", Figure.NOW, "tables"),
  /** Filters evicted from memory to make room for others. */
  FILTER_EVICTIONS("FilterEvictions", Figure.GROWS, "tables"),
  /** Blocks that lookups read. */
  LOOKUP_BLOCKS("LookupBlocks", Figure.GROWS, "blocks"),
  /** Stored bytes of the blocks that lookups read. */
  LOOKUP_BLOCK_BYTES("LookupBlockBytes", Figure.GROWS, "bytes"),
  /** Bytes of the values found in these blocks. */
  LOOKUP_FOUND_BYTES("LookupFoundBytes", Figure.GROWS, "bytes"),
  /** Reads of several blocks at once. */
  READ_BATCHES("ReadBatches", Figure.GROWS, "batches"),
  /** Blocks in these reads. */
  BATCH_READS("BatchReads", Figure.GROWS, "blocks"),
  /** Blocks in these reads that were not needed. */
  WASTED_READS("WastedReads", Figure.GROWS, "blocks"),
  /** Blocks being read at once now. */
  READS_IN_FLIGHT("ReadsInFlight", Figure.NOW, "blocks"),
  /**
   * Duration of lookups under a search scheme, one in 64 timed. The name continues with the scheme,
   * such as {@code adaptive}, and with {@code p50}, {@code p99}, {@code p999}, or {@code count} for
   * the number of timed lookups.
   */
  LOOKUP_NANOS("LookupNanos", Figure.NOW, "ns");

  private final String label;
  private final boolean grows;
  private final String unit;

  StoreFigure(String label, boolean grows, String unit) {
    this.label = label;
    this.grows = grows;
    this.unit = unit;
  }

  /** Returns its permanent name in registries and beans. */
  public String label() {
    return label;
  }

  /** Returns whether it only grows, from 0 on; otherwise it is a present value. */
  public boolean grows() {
    return grows;
  }

  /** Returns its unit. */
  public String unit() {
    return unit;
  }
}
