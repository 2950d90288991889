// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Clock;

/**
 * Finds out which SSTables reads meet among too many of their level, so that these are merged
 * (dCompaction, algorithm 2: VSMT). Cassandra calls nobody for a read, but it marks the meter of
 * each SSTable that a read has to look into; that meter is ours.
 *
 * <p>A group is an SSTable and what it overlaps in its level, as under {@link
 * io.coppice.policy.MergeRule#FREE}. Groups are measured when the arrangement has changed, never by
 * a read. Damped by {@link ReadBudget}. All but {@link #ripe} is used under its strategy's monitor.
 */
final class ReadWatch implements WatchedMeter.Listener {

  // The ranges that cool down; when there are more, the oldest is forgotten.
  private static final int MOST_COOLING = 256;

  private record Cooling(
      int level, DecoratedKey first, DecoratedKey last, long untilNanos, long untilFlushed) {

    boolean over(long nowNanos, long flushedBytes) {
      return untilNanos - nowNanos <= 0 || untilFlushed <= flushedBytes;
    }

    boolean covers(SSTableReader sstable) {
      return level == Inventory.level(sstable)
          && first.compareTo(sstable.getLast()) <= 0
          && sstable.getFirst().compareTo(last) <= 0;
    }
  }

  private final ColumnFamilyStore cfs;
  private final ReadBudget budget;
  private final Runnable changed;
  private final List<Cooling> cooling = new ArrayList<>();
  private boolean watching;

  /**
   * A watch that awaits nothing yet.
   *
   * @param changed is run by a reading thread when reads have asked for one more merge
   */
  ReadWatch(ColumnFamilyStore cfs, ReadBudget budget, Runnable changed) {
    this.cfs = cfs;
    this.budget = budget;
    this.changed = changed;
  }

  /**
   * Measures the groups of an arrangement and awaits reads of those that are large enough.
   *
   * @param mergeOnRead SSTables in a group from which on reads ask for its merge
   */
  void arrange(Inventory.Snapshot snapshot, int mergeOnRead) {
    if (mergeOnRead == Integer.MAX_VALUE) {
      stop(snapshot.free().values());
      return;
    }
    watching = true;
    for (int level = 0; level < snapshot.shape().levels().size(); level++) {
      LevelFacts facts = snapshot.shape().levels().get(level);
      for (RunFacts run : facts.runs()) {
        for (SegmentFacts segment : run.segments()) {
          SSTableReader sstable = snapshot.free().get(segment.slices().get(0).slice());
          if (sstable != null) {
            // Flushes wait for their merge in level 0 as it is.
            arrange(sstable, level == 0 ? List.of() : over(facts, segment), mergeOnRead);
          }
        }
      }
    }
  }

  private void arrange(SSTableReader sstable, List<SegmentFacts> group, int mergeOnRead) {
    if (group.size() < Math.max(2, mergeOnRead)) {
      if (sstable.getReadMeter() instanceof WatchedMeter meter) {
        meter.rest();
      }
      return;
    }
    long bytes = group.stream().mapToLong(SegmentFacts::bytes).sum();
    // Reads that meet one too many meet many: each SSTable answers for an equal share.
    meter(sstable).await(budget.damping().hitsOfEach(bytes, group.size()), this);
  }

  private static List<SegmentFacts> over(LevelFacts level, SegmentFacts segment) {
    List<SegmentFacts> over = new ArrayList<>();
    level.runs().forEach(run -> over.addAll(run.over(segment.low(), segment.high())));
    return over;
  }

  private static WatchedMeter meter(SSTableReader sstable) {
    WatchedMeter meter = WatchedMeter.of(sstable.getReadMeter());
    if (sstable.getReadMeter() != meter) {
      sstable.overrideReadMeter(meter);
    }
    return meter;
  }

  /** On a reading thread, which only leaves word. */
  @Override
  public void ripe() {
    changed.run();
  }

  /** The ids of SSTables whose groups reads have asked for and the damping lets through. */
  Set<Long> requests(Map<Long, SSTableReader> free, long tableBytes) {
    if (!watching) {
      return Set.of();
    }
    long now = Clock.Global.nanoTime();
    long flushed = cfs.metric.bytesFlushed.getCount();
    cooling.removeIf(range -> range.over(now, flushed));
    Set<Long> requests = new HashSet<>();
    for (Map.Entry<Long, SSTableReader> entry : free.entrySet()) {
      SSTableReader sstable = entry.getValue();
      if (sstable.getReadMeter() instanceof WatchedMeter meter
          && meter.ripe()
          && cooling.stream().noneMatch(range -> range.covers(sstable))) {
        requests.add(entry.getKey());
      }
    }
    boolean open = budget.open(now, flushed, tableBytes);
    return open ? requests : Set.of();
  }

  /** A merge that reads asked for has started on these. */
  void obeyed(Collection<SSTableReader> group) {
    if (cooling.size() == MOST_COOLING) {
      cooling.remove(0);
    }
    SSTableReader any = group.iterator().next();
    DecoratedKey first = any.getFirst();
    DecoratedKey last = any.getLast();
    for (SSTableReader sstable : group) {
      first = first.compareTo(sstable.getFirst()) <= 0 ? first : sstable.getFirst();
      last = last.compareTo(sstable.getLast()) >= 0 ? last : sstable.getLast();
    }
    // Cassandra counts what it flushes before compression.
    long data = group.stream().mapToLong(SSTableReader::uncompressedLength).sum();
    cooling.add(
        new Cooling(
            Inventory.level(any),
            first,
            last,
            Clock.Global.nanoTime() + budget.damping().coolDownNanos(),
            cfs.metric.bytesFlushed.getCount() + data));
    budget.spend(group.stream().mapToLong(SSTableReader::onDiskLength).sum());
  }

  /** Awaits nothing any more; the meters go on as Cassandra's own would. */
  void stop(Collection<SSTableReader> sstables) {
    if (watching) {
      for (SSTableReader sstable : sstables) {
        if (sstable.getReadMeter() instanceof WatchedMeter meter) {
          meter.rest();
        }
      }
      watching = false;
    }
  }
}
