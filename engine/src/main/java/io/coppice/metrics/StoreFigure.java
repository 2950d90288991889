// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import io.coppice.policy.Figure;

/**
 * What is measured of a store beside compaction, for which {@link Figure} has the names; {@code
 * docs/reference/metrics.md} is made of both lists.
 */
public enum StoreFigure {
  ACCEPTED_BYTES(
      "AcceptedBytes",
      Figure.Kind.COUNT,
      "bytes",
      "Bytes of keys and values written, with frames."),
  STALLS("Stalls", Figure.Kind.COUNT, "writes", "Writes made to wait for flushes or merges."),
  STALLED_NANOS("StalledNanos", Figure.Kind.COUNT, "ns", "How long they waited in all."),
  WRITE_DELAY(
      "WriteDelayNanosPerByte",
      Figure.Kind.NOW,
      "ns",
      "By how much writers are held back for each byte; 0 if flushes and merges keep up."),
  MEMORY_BYTES(
      "MemoryBytes",
      Figure.Kind.NOW,
      "bytes",
      "Memory outside the heap held from the budget, by all its stores."),
  CACHE_BYTES("CacheBytes", Figure.Kind.NOW, "bytes", "Memory that the cache of blocks holds."),
  CACHE_HITS("CacheHits", Figure.Kind.COUNT, "blocks", "Blocks found in the cache."),
  CACHE_MISSES("CacheMisses", Figure.Kind.COUNT, "blocks", "Blocks that had to be read."),
  FILTERS_LOADED("FiltersLoaded", Figure.Kind.NOW, "tables", "Tables whose filter is in memory."),
  FILTERS_ABSENT(
      "FiltersAbsent",
      Figure.Kind.NOW,
      "tables",
      "Tables whose filter is not; lookups do without."),
  FILTER_EVICTIONS(
      "FilterEvictions", Figure.Kind.COUNT, "tables", "Filters that left memory for others."),
  LOOKUP_BLOCKS("LookupBlocks", Figure.Kind.COUNT, "blocks", "Blocks that lookups read."),
  LOOKUP_BLOCK_BYTES(
      "LookupBlockBytes", Figure.Kind.COUNT, "bytes", "Bytes of these, as they are stored."),
  LOOKUP_FOUND_BYTES(
      "LookupFoundBytes", Figure.Kind.COUNT, "bytes", "Bytes of the values that were found there."),
  READ_BATCHES("ReadBatches", Figure.Kind.COUNT, "batches", "Times that blocks were read at once."),
  BATCH_READS("BatchReads", Figure.Kind.COUNT, "blocks", "Blocks read so."),
  WASTED_READS("WastedReads", Figure.Kind.COUNT, "blocks", "Those whose answer was not needed."),
  READS_IN_FLIGHT("ReadsInFlight", Figure.Kind.NOW, "blocks", "Blocks being read at once."),
  LOOKUP_NANOS(
      "LookupNanos",
      Figure.Kind.NOW,
      "ns",
      "How long lookups took under a search scheme, one in 64 timed: followed by the scheme, such as"
          + " `adaptive`, and `p50`, `p99`, `p999` or, for how many were timed, `count`.");

  private final String label;
  private final Figure.Kind kind;
  private final String unit;
  private final String meaning;

  StoreFigure(String label, Figure.Kind kind, String unit, String meaning) {
    this.label = label;
    this.kind = kind;
    this.unit = unit;
    this.meaning = meaning;
  }

  /** Its name in registries and beans; never changes. */
  public String label() {
    return label;
  }

  /** How it moves. */
  public Figure.Kind kind() {
    return kind;
  }

  /** What it counts. */
  public String unit() {
    return unit;
  }

  /** What it says, in one sentence. */
  public String meaning() {
    return meaning;
  }
}
