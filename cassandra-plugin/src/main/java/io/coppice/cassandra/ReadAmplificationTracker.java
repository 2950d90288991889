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
 * A monitor of reads that finds SSTables which reads check together with too many others of their
 * level, so that they are merged (dCompaction, algorithm 2: VSMT).
 *
 * <p>Cassandra has no callback for reads, but it marks the read meter of each SSTable that a read
 * checks. The monitor replaces these meters by {@link NotifyingReadMeter}s.
 *
 * <p>A group is an SSTable and the SSTables that overlap it in its level, as under {@link
 * io.coppice.policy.MergeRule#FREE}. Groups are measured when the arrangement has changed, and
 * never by a read. {@link ReadBudget} limits the merges. All methods except {@link #ripe} are
 * called under the monitor of the strategy.
 */
final class ReadAmplificationTracker implements NotifyingReadMeter.Listener {

  // Bounds the ranges that cool down; beyond it, the oldest is forgotten.
  private static final int MAX_COOLING = 256;

  private record Cooling(
      int level, DecoratedKey first, DecoratedKey last, long untilNanos, long untilFlushed) {

    boolean over(long nowNanos, long flushedBytes) {
      return untilNanos - nowNanos <= 0 || untilFlushed <= flushedBytes;
    }

    boolean covers(SSTableReader sstable) {
      return level == SSTableInventory.level(sstable)
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
   * Creates a monitor that watches no SSTable yet.
   *
   * @param changed run by a reading thread when reads have requested another merge
   */
  ReadAmplificationTracker(ColumnFamilyStore cfs, ReadBudget budget, Runnable changed) {
    this.cfs = cfs;
    this.budget = budget;
    this.changed = changed;
  }

  /**
   * Measures the groups of an arrangement and watches the reads of groups that are large enough.
   *
   * @param mergeOnRead the smallest group size that makes reads request a merge; {@link
   *     Integer#MAX_VALUE} stops watching
   */
  void arrange(SSTableInventory.Snapshot snapshot, int mergeOnRead) {
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
            // The policy merges the flushes of level 0 without requests of reads.
            arrange(sstable, level == 0 ? List.of() : over(facts, segment), mergeOnRead);
          }
        }
      }
    }
  }

  private void arrange(SSTableReader sstable, List<SegmentFacts> group, int mergeOnRead) {
    if (group.size() < Math.max(2, mergeOnRead)) {
      if (sstable.getReadMeter() instanceof NotifyingReadMeter meter) {
        meter.rest();
      }
      return;
    }
    long bytes = group.stream().mapToLong(SegmentFacts::bytes).sum();
    // A read that checks too many SSTables checks the whole group, so each member gets an equal
    // share.
    meter(sstable).await(budget.damping().hitsOfEach(bytes, group.size()), this);
  }

  private static List<SegmentFacts> over(LevelFacts level, SegmentFacts segment) {
    List<SegmentFacts> over = new ArrayList<>();
    level.runs().forEach(run -> over.addAll(run.overlapping(segment.low(), segment.high())));
    return over;
  }

  private static NotifyingReadMeter meter(SSTableReader sstable) {
    NotifyingReadMeter meter = NotifyingReadMeter.of(sstable.getReadMeter());
    if (sstable.getReadMeter() != meter) {
      sstable.overrideReadMeter(meter);
    }
    return meter;
  }

  /** Runs the callback and does nothing else, because a reading thread calls it. */
  @Override
  public void ripe() {
    changed.run();
  }

  /**
   * Returns the ids of SSTables whose groups reads have requested, as far as the damping allows.
   */
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
      if (sstable.getReadMeter() instanceof NotifyingReadMeter meter
          && meter.ripe()
          && cooling.stream().noneMatch(range -> range.covers(sstable))) {
        requests.add(entry.getKey());
      }
    }
    boolean open = budget.open(now, flushed, tableBytes);
    return open ? requests : Set.of();
  }

  /** Records that a requested merge of these SSTables has started. */
  void obeyed(Collection<SSTableReader> group) {
    if (cooling.size() == MAX_COOLING) {
      cooling.remove(0);
    }
    SSTableReader any = group.iterator().next();
    DecoratedKey first = any.getFirst();
    DecoratedKey last = any.getLast();
    for (SSTableReader sstable : group) {
      first = first.compareTo(sstable.getFirst()) <= 0 ? first : sstable.getFirst();
      last = last.compareTo(sstable.getLast()) >= 0 ? last : sstable.getLast();
    }
    // Cassandra counts flushed bytes before compression.
    long data = group.stream().mapToLong(SSTableReader::uncompressedLength).sum();
    cooling.add(
        new Cooling(
            SSTableInventory.level(any),
            first,
            last,
            Clock.Global.nanoTime() + budget.damping().coolDownNanos(),
            cfs.metric.bytesFlushed.getCount() + data));
    budget.spend(group.stream().mapToLong(SSTableReader::onDiskLength).sum());
  }

  /** Stops watching these SSTables. Their meters then act as Cassandra's own. */
  void stop(Collection<SSTableReader> sstables) {
    if (watching) {
      for (SSTableReader sstable : sstables) {
        if (sstable.getReadMeter() instanceof NotifyingReadMeter meter) {
          meter.rest();
        }
      }
      watching = false;
    }
  }
}
