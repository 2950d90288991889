// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.policy.Backlog;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.CompactionCounts;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.filter.FilterTotals;
import java.util.ArrayList;
import java.util.List;

/** Collector of a store's statistics, which it computes from the store's parts on request. */
record StoreStatsCollector(StoreParts parts) {

  /** Returns the statistics of the whole store. */
  StoreStats stats(OpenHandles handles) {
    List<FamilyStats> each = new ArrayList<>();
    long backlogBytes = 0;
    long headroomBytes = 0;
    for (FamilyParts family : parts.families.all()) {
      try {
        FamilyStats one = stats(family);
        each.add(one);
        backlogBytes += one.backlogBytes();
        headroomBytes = Math.max(headroomBytes, one.headroomBytes());
      } catch (RuntimeException e) {
        // A family that is dropped during this call has no metrics any longer.
        if (parts.manifest.family(family.number()) != null) {
          throw e;
        }
      }
    }
    return new StoreStats(
        each,
        StoreStats.levels(each),
        parts.manifest.tableBytes(),
        parts.manifest.pinnedBytes(),
        parts.metrics.sum(CompactionMetricId.FLUSHES),
        parts.metrics.sum(CompactionMetricId.FLUSHED_BYTES),
        parts.metrics.sum(CompactionMetricId.MERGE_STEPS),
        parts.metrics.sum(CompactionMetricId.MERGE_READ_BYTES),
        parts.metrics.sum(CompactionMetricId.MERGED_BYTES),
        parts.metrics.sum(CompactionMetricId.MOVES),
        parts.metrics.sum(CompactionMetricId.DELAYS),
        parts.metrics.sum(CompactionMetricId.DROPS),
        parts.metrics.acceptedBytes.getCount(),
        parts.metrics.stalls.getCount(),
        parts.metrics.stalledNanos.getCount(),
        parts.writes == null ? 0 : parts.writes.delayNanosPerByte(),
        backlogBytes,
        headroomBytes,
        parts.options.memory.usedBytes(),
        cache(),
        filters(),
        handles.count(),
        handles.forgotten(),
        handles.oldestSnapshot(),
        ReadStats.of(parts.searching, parts.tables),
        parts.searching.reader().describe());
  }

  private StoreStats.FilterStats filters() {
    FilterTotals figures = parts.tables.filterFigures();
    return new StoreStats.FilterStats(
        figures.bytes(),
        figures.loaded(),
        figures.absent(),
        figures.evictions(),
        figures.rebuilt());
  }

  private StoreStats.CacheStats cache() {
    BlockCache.Figures figures = parts.tables.cacheFigures();
    return new StoreStats.CacheStats(
        figures.hits(), figures.misses(), figures.inserts(), figures.evictions(), figures.bytes());
  }

  /**
   * Returns the statistics of one family.
   *
   * @throws io.coppice.base.ClosedException if the family was dropped
   */
  FamilyStats stats(FamilyParts family) {
    Shape shape = parts.compactor.shape(family.number());
    Backlog backlog = parts.compactor.backlog(family.number());
    CompactionCounts counts = family.counts().sums();
    return new FamilyStats(
        family.name(),
        // A family dropped during this call has no policy; the query of its versions below then
        // throws.
        String.valueOf(parts.families.inForce(family.number())),
        shape.levels().stream().map(StoreStatsCollector::stats).toList(),
        family.versions().current().tableBytes(),
        family.versions().pinnedBytes(),
        family.writeState().memtables().bytes(),
        family.writeState().flushedBytes(),
        counts.sum(CompactionMetricId.MERGE_STEPS),
        counts.sum(CompactionMetricId.MERGE_READ_BYTES),
        counts.sum(CompactionMetricId.MERGED_BYTES),
        counts.sum(CompactionMetricId.MOVES),
        counts.sum(CompactionMetricId.DELAYS),
        counts.sum(CompactionMetricId.DROPS),
        counts.sum(CompactionMetricId.FAILED_PLANS),
        backlog.bytes(),
        backlog.headroomBytes());
  }

  private static StoreStats.LevelStats stats(LevelFacts level) {
    int segments = 0;
    int virtual = 0;
    for (RunFacts run : level.runs()) {
      segments += run.segments().size();
      for (SegmentFacts segment : run.segments()) {
        virtual += segment.virtual() ? 1 : 0;
      }
    }
    return new StoreStats.LevelStats(level.runs().size(), segments, virtual, level.bytes());
  }
}
