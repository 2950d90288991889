// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import io.coppice.policy.observe.CompactionMetricId;

/**
 * Metrics of a store beside those of compaction, which {@link CompactionMetricId} names; {@code
 * docs/reference/metrics.md} is generated from both lists.
 */
public enum StoreMetricId {
  /** Bytes of written keys and values, each with some bytes for its kind and lengths. */
  ACCEPTED_BYTES("AcceptedBytes", CompactionMetricId.GROWS, "bytes"),
  /** Writes that waited for flushes or merges. */
  STALLS("Stalls", CompactionMetricId.GROWS, "writes"),
  /** Total duration of all waits of writes for flushes or merges. */
  STALLED_NANOS("StalledNanos", CompactionMetricId.GROWS, "ns"),
  /** Present delay of writers per byte; 0 if flushes and merges keep up. */
  WRITE_DELAY("WriteDelayNanosPerByte", CompactionMetricId.NOW, "ns"),
  /** 1 if a failure made the store read-only, until it is reopened; otherwise 0. */
  READ_ONLY("ReadOnly", CompactionMetricId.NOW, "0 or 1"),
  /** Off-heap memory that all stores on the same budget hold. */
  MEMORY_BYTES("MemoryBytes", CompactionMetricId.NOW, "bytes"),
  /** Memory of the block cache. */
  CACHE_BYTES("CacheBytes", CompactionMetricId.NOW, "bytes"),
  /** Blocks found in the cache. */
  CACHE_HITS("CacheHits", CompactionMetricId.GROWS, "blocks"),
  /** Blocks that had to be read. */
  CACHE_MISSES("CacheMisses", CompactionMetricId.GROWS, "blocks"),
  /** Tables whose filter is in memory. */
  FILTERS_LOADED("FiltersLoaded", CompactionMetricId.NOW, "tables"),
  /** Tables whose filter is missing from memory; lookups search them without one. */
  FILTERS_ABSENT("FiltersAbsent", CompactionMetricId.NOW, "tables"),
  /** Filters evicted from memory to make room for others. */
  FILTER_EVICTIONS("FilterEvictions", CompactionMetricId.GROWS, "tables"),
  /** Blocks that lookups read. */
  LOOKUP_BLOCKS("LookupBlocks", CompactionMetricId.GROWS, "blocks"),
  /** Stored bytes of the blocks that lookups read. */
  LOOKUP_BLOCK_BYTES("LookupBlockBytes", CompactionMetricId.GROWS, "bytes"),
  /** Bytes of the values that lookups found in blocks. */
  LOOKUP_FOUND_BYTES("LookupFoundBytes", CompactionMetricId.GROWS, "bytes"),
  /** Reads of several blocks at once. */
  READ_BATCHES("ReadBatches", CompactionMetricId.GROWS, "batches"),
  /** Blocks read by reads of several blocks at once. */
  BATCH_READS("BatchReads", CompactionMetricId.GROWS, "blocks"),
  /** Blocks read by reads of several blocks at once that were not needed. */
  WASTED_READS("WastedReads", CompactionMetricId.GROWS, "blocks"),
  /** Blocks being read at once now. */
  READS_IN_FLIGHT("ReadsInFlight", CompactionMetricId.NOW, "blocks"),
  /**
   * Duration of lookups under a search scheme, one in 64 timed. The name continues with the scheme,
   * such as {@code adaptive}, and with {@code p50}, {@code p99}, {@code p999}, or {@code count} for
   * the number of timed lookups.
   */
  LOOKUP_NANOS("LookupNanos", CompactionMetricId.NOW, "ns");

  private final String label;
  private final boolean grows;
  private final String unit;

  StoreMetricId(String label, boolean grows, String unit) {
    this.label = label;
    this.grows = grows;
    this.unit = unit;
  }

  /** Returns the metric's permanent name in registries and beans. */
  public String label() {
    return label;
  }

  /** Returns whether the metric only grows, from 0 on; otherwise it is a present value. */
  public boolean grows() {
    return grows;
  }

  /** Returns the metric's unit. */
  public String unit() {
    return unit;
  }
}
