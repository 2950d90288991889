// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.Compactor;
import io.coppice.manifest.Manifest;
import io.coppice.metrics.StoreMetrics;
import io.coppice.policy.Backlog;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.read.LookupContext;
import io.coppice.table.OpenTables;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.filter.FilterTotals;
import io.coppice.write.WritePath;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collector of a store's statistics, which it computes from the store's parts on request.
 *
 * @param writes null if the store was opened for reading
 */
record StoreStatsCollector(
    StoreOptions options,
    StoreMetrics metrics,
    Manifest manifest,
    Families families,
    OpenTables tables,
    LookupContext context,
    Compactor compactor,
    @Nullable WritePath writes) {

  /** Returns the statistics of the whole store. */
  StoreStats stats(OpenHandles handles) {
    List<FamilyStats> each = new ArrayList<>();
    long backlogBytes = 0;
    long headroomBytes = 0;
    for (FamilyParts family : families.all()) {
      try {
        FamilyStats one = stats(family);
        each.add(one);
        backlogBytes += one.backlogBytes();
        headroomBytes = Math.max(headroomBytes, one.headroomBytes());
      } catch (RuntimeException e) {
        // A family that is dropped during this call has no metrics any longer.
        if (manifest.family(family.number()) != null) {
          throw e;
        }
      }
    }
    return new StoreStats(
        each,
        StoreStats.levels(each),
        manifest.tableBytes(),
        manifest.pinnedBytes(),
        metrics.flushes.getCount(),
        metrics.flushedBytes.getCount(),
        metrics.mergeSteps.getCount(),
        metrics.mergeReadBytes.getCount(),
        metrics.mergedBytes.getCount(),
        metrics.moves.getCount(),
        metrics.delays.getCount(),
        metrics.drops.getCount(),
        metrics.acceptedBytes.getCount(),
        metrics.stalls.getCount(),
        metrics.stalledNanos.getCount(),
        writes == null ? 0 : writes.delayNanosPerByte(),
        backlogBytes,
        headroomBytes,
        options.memory().usedBytes(),
        cache(),
        filters(),
        handles.count(),
        handles.forgotten(),
        handles.oldestSnapshot(),
        ReadStats.of(context, tables),
        context.reader().describe());
  }

  private StoreStats.FilterStats filters() {
    FilterTotals figures = tables.filterFigures();
    return new StoreStats.FilterStats(
        figures.bytes(),
        figures.loaded(),
        figures.absent(),
        figures.evictions(),
        figures.rebuilt());
  }

  private StoreStats.CacheStats cache() {
    BlockCache.Figures figures = tables.cacheFigures();
    return new StoreStats.CacheStats(
        figures.hits(), figures.misses(), figures.inserts(), figures.evictions(), figures.bytes());
  }

  /** Returns the statistics of one family. */
  FamilyStats stats(FamilyParts family) {
    Shape shape = compactor.shape(family.number());
    Backlog backlog = compactor.backlog(family.number());
    FamilyCounts counts = family.counts();
    return new FamilyStats(
        family.name(),
        // A family dropped during this call has no policy; the query of its versions below then
        // throws.
        String.valueOf(families.inForce(family.number())),
        shape.levels().stream().map(StoreStatsCollector::stats).toList(),
        family.versions().current().tableBytes(),
        family.versions().pinnedBytes(),
        family.writeState().memtables().bytes(),
        family.writeState().flushedBytes(),
        counts.mergeSteps.sum(),
        counts.mergeReadBytes.sum(),
        counts.mergedBytes.sum(),
        counts.moves.sum(),
        counts.delays.sum(),
        counts.drops.sum(),
        counts.failedPlans.sum(),
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
