// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import io.coppice.policy.Figure;

/**
 * What is measured of a store beside compaction, for which {@link Figure} has the names; {@code
 * docs/reference/metrics.md} is made of both lists.
 */
public enum StoreFigure {
  /** Bytes of keys and values written, with frames. */
  ACCEPTED_BYTES("AcceptedBytes", Figure.GROWS, "bytes"),
  /** Writes made to wait for flushes or merges. */
  STALLS("Stalls", Figure.GROWS, "writes"),
  /** How long they waited in all. */
  STALLED_NANOS("StalledNanos", Figure.GROWS, "ns"),
  /** By how much writers are held back for each byte; 0 if flushes and merges keep up. */
  WRITE_DELAY("WriteDelayNanosPerByte", Figure.NOW, "ns"),
  /** Memory outside the heap held from the budget, by all its stores. */
  MEMORY_BYTES("MemoryBytes", Figure.NOW, "bytes"),
  /** Memory that the cache of blocks holds. */
  CACHE_BYTES("CacheBytes", Figure.NOW, "bytes"),
  /** Blocks found in the cache. */
  CACHE_HITS("CacheHits", Figure.GROWS, "blocks"),
  /** Blocks that had to be read. */
  CACHE_MISSES("CacheMisses", Figure.GROWS, "blocks"),
  /** Tables whose filter is in memory. */
  FILTERS_LOADED("FiltersLoaded", Figure.NOW, "tables"),
  /** Tables whose filter is not; lookups do without. */
  FILTERS_ABSENT("FiltersAbsent", Figure.NOW, "tables"),
  /** Filters that left memory for others. */
  FILTER_EVICTIONS("FilterEvictions", Figure.GROWS, "tables"),
  /** Blocks that lookups read. */
  LOOKUP_BLOCKS("LookupBlocks", Figure.GROWS, "blocks"),
  /** Bytes of these, as they are stored. */
  LOOKUP_BLOCK_BYTES("LookupBlockBytes", Figure.GROWS, "bytes"),
  /** Bytes of the values that were found there. */
  LOOKUP_FOUND_BYTES("LookupFoundBytes", Figure.GROWS, "bytes"),
  /** Times that blocks were read at once. */
  READ_BATCHES("ReadBatches", Figure.GROWS, "batches"),
  /** Blocks read so. */
  BATCH_READS("BatchReads", Figure.GROWS, "blocks"),
  /** Those whose answer was not needed. */
  WASTED_READS("WastedReads", Figure.GROWS, "blocks"),
  /** Blocks being read at once. */
  READS_IN_FLIGHT("ReadsInFlight", Figure.NOW, "blocks"),
  /**
   * How long lookups took under a search scheme, one in 64 timed: followed by the scheme, such as
   * {@code adaptive}, and {@code p50}, {@code p99}, {@code p999} or, for how many were timed,
   * {@code count}.
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

  /** Its name in registries and beans; never changes. */
  public String label() {
    return label;
  }

  /** True if it only grows, from 0 on; else it is as it is now. */
  public boolean grows() {
    return grows;
  }

  /** What it counts. */
  public String unit() {
    return unit;
  }
}
