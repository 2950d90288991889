// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.ReadBudget;
import io.coppice.policy.ReadTerms;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Tracker of reads that finds SSTables which reads check together with too many others of their
 * level, and requests their merge (dCompaction, algorithm 2: VSMT).
 *
 * <p>Cassandra has no callback for reads, but it marks the read meter of each SSTable that a read
 * checks. The tracker replaces these meters by {@link NotifyingReadMeter}s.
 *
 * <p>A group is an SSTable and the SSTables that overlap it in its level, as under {@link
 * io.coppice.policy.MergeRule#FREE}. Groups are measured when the arrangement has changed, and
 * never by a read. {@link ReadBudget} limits the merges. All methods except {@link #ripe} are
 * called under the monitor of the strategy.
 */
final class ReadAmplificationTracker implements NotifyingReadMeter.Listener {

  // One budget per instance, because ids of SSTables are unique only within an instance.
  private final ReadBudget budget;
  private final Supplier<ReadTerms> terms;
  private final Runnable changed;
  private boolean watching;

  /**
   * Creates a tracker that watches no SSTable yet.
   *
   * @param balance balance that all instances of the table share
   * @param terms returns the terms on which requests are granted now
   * @param changed run by a reading thread when reads have requested another merge
   */
  ReadAmplificationTracker(
      ReadBudget.Balance balance, Supplier<ReadTerms> terms, Runnable changed) {
    this.budget = new ReadBudget(balance);
    this.terms = terms;
    this.changed = changed;
  }

  /**
   * Measures the groups of a snapshot and watches the reads of groups that are large enough.
   *
   * @param mergeOnRead the smallest number of SSTables whose merge is requested by reads; {@link
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
            arrange(sstable, level, facts, segment, mergeOnRead);
          }
        }
      }
    }
  }

  private void arrange(
      SSTableReader sstable, int level, LevelFacts facts, SegmentFacts segment, int mergeOnRead) {
    // The policy merges the flushes of level 0 without a request by reads.
    List<SegmentFacts> group =
        level == 0 ? List.of() : facts.overlapping(segment.low(), segment.high());
    if (group.size() < Math.max(2, mergeOnRead)) {
      if (sstable.getReadMeter() instanceof NotifyingReadMeter meter) {
        meter.rest();
      }
      return;
    }
    long bytes = group.stream().mapToLong(SegmentFacts::bytes).sum();
    double tables = ReadBudget.meanDepth(facts, segment);
    meter(sstable).await(terms.get().lookupsFor(bytes, tables), this);
  }

  private static NotifyingReadMeter meter(SSTableReader sstable) {
    NotifyingReadMeter meter = NotifyingReadMeter.of(sstable.getReadMeter());
    if (sstable.getReadMeter() != meter) {
      sstable.overrideReadMeter(meter);
    }
    return meter;
  }

  /**
   * Runs the {@code changed} callback and nothing else, because a reading thread calls this method.
   */
  @Override
  public void ripe() {
    changed.run();
  }

  /**
   * Returns the ids of SSTables whose groups reads want merged, as far as {@link ReadBudget} grants
   * them.
   *
   * @param shape the SSTables, with those of running merges
   * @param free the SSTables that no merge has claimed, by id
   * @param flushedBytes bytes on disk of all flushes by now
   * @param tableBytes the size in bytes on disk above which merges cut their outputs
   */
  Set<Long> requests(
      Shape shape, Map<Long, SSTableReader> free, long flushedBytes, long tableBytes) {
    if (!watching) {
      return Set.of();
    }
    Map<Long, Long> reads = new HashMap<>();
    for (Map.Entry<Long, SSTableReader> entry : free.entrySet()) {
      if (entry.getValue().getReadMeter() instanceof NotifyingReadMeter meter
          && meter.awaited() > 0) {
        reads.put(entry.getKey(), meter.awaited());
      }
    }
    ReadBudget.Answer answer = budget.answer(terms.get(), shape, reads, flushedBytes, tableBytes);
    answer.nextLookups().forEach((id, lookups) -> meter(free.get(id)).await(lookups, this));
    return answer.granted();
  }

  /**
   * Charges a requested merge that has started to the budget.
   *
   * @param bytes input bytes of the merge on disk
   */
  void obeyed(long bytes) {
    budget.charge(bytes);
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
