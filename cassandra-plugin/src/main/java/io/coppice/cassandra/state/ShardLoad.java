// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.cassandra.sstable.ShapeBuilder;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.ShardBounds;
import io.coppice.policy.tuner.LoadSample;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.metrics.RestorableMeter;

/**
 * Distribution of one table's load over the shards of its keys.
 *
 * <p>Writes are counted by the SSTables that flushes add, reads by the read meters of all SSTables,
 * for reads of partitions and of ranges. If an SSTable spans several shards, each gets an equal
 * part of its count. Thread-safe.
 */
final class ShardLoad {

  @GuardedBy("this")
  private List<DecoratedKey> ends = List.of();

  @GuardedBy("this")
  private long[] flushed = {};

  @GuardedBy("this")
  private long[] read = {};

  @GuardedBy("this")
  private Map<RestorableMeter, Long> marks = new IdentityHashMap<>();

  /** Counts an SSTable that a flush has added. */
  synchronized void flushed(SSTableReader sstable) {
    add(flushed, sstable, sstable.onDiskLength());
  }

  @GuardedBy("this")
  private void add(long[] counts, SSTableReader sstable, long number) {
    if (counts.length > 0) {
      int first = shard(sstable.getFirst());
      int last = shard(sstable.getLast());
      for (int shard = first; shard <= last; shard++) {
        counts[shard] += number / (last - first + 1);
      }
    }
  }

  @GuardedBy("this")
  private int shard(DecoratedKey key) {
    int shard = 0;
    while (shard < ends.size() && key.compareTo(ends.get(shard)) > 0) {
      shard++;
    }
    return shard;
  }

  /**
   * Returns the load of each shard, with shards chosen for the current SSTables. The counts grow
   * from the first sample with the same number of shards.
   *
   * @param nanos the time of the sample, in nanoseconds of Cassandra's clock
   * @param count the number of shards; 1 if none are counted
   * @param live the SSTables of the table
   * @return one sample per shard, lowest keys first; empty if there are too few SSTables to divide
   */
  List<LoadSample> sample(long nanos, int count, Collection<SSTableReader> live) {
    List<SSTableOutline<DecoratedKey>> outlines = new ArrayList<>();
    for (SSTableReader sstable : count > 1 ? live : List.<SSTableReader>of()) {
      outlines.add(SSTableInventory.outline(outlines.size() + 1L, sstable));
    }
    Shape shape = ShapeBuilder.draw(outlines, List.of());
    int[] ranks = ShardBounds.ends(shape, count);
    return count(nanos, count, live, shape, ranks, ends(shape, ranks, outlines));
  }

  private synchronized List<LoadSample> count(
      long nanos,
      int count,
      Collection<SSTableReader> live,
      Shape shape,
      int[] ranks,
      List<DecoratedKey> found) {
    ends = found;
    if (ends.size() < ranks.length || count < 2) {
      flushed = new long[0];
      read = new long[0];
      return List.of();
    }
    if (flushed.length != count) {
      flushed = new long[count];
      read = new long[count];
    }
    countReads(live);
    long[] bytes = ShardBounds.bytes(shape, ranks);
    List<LoadSample> shards = new ArrayList<>();
    for (int shard = 0; shard < count; shard++) {
      shards.add(LoadSample.ofShard(nanos, flushed[shard], read[shard], read[shard], bytes[shard]));
    }
    return shards;
  }

  /** Returns the last key of each shard but the last, up to the first rank without a key. */
  private static List<DecoratedKey> ends(
      Shape shape, int[] ranks, List<SSTableOutline<DecoratedKey>> outlines) {
    Map<Integer, DecoratedKey> byRank = new HashMap<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          int index = (int) segment.slices().get(0).slice() - 1;
          byRank.put(segment.high(), outlines.get(index).last());
        }
      }
    }
    List<DecoratedKey> ends = new ArrayList<>();
    for (int rank : ranks) {
      if (!byRank.containsKey(rank)) {
        break;
      }
      ends.add(byRank.get(rank));
    }
    return ends;
  }

  @GuardedBy("this")
  private void countReads(Collection<SSTableReader> live) {
    Map<RestorableMeter, Long> now = new IdentityHashMap<>();
    for (SSTableReader sstable : live) {
      RestorableMeter meter = sstable.getReadMeter();
      if (meter != null) {
        long before = marks.getOrDefault(meter, meter.count());
        now.put(meter, meter.count());
        add(read, sstable, now.get(meter) - before);
      }
    }
    marks = now;
  }
}
