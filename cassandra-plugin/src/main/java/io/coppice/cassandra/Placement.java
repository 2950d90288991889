// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Says for which level an SSTable counts. That is the level in its metadata, but for huge SSTables
 * at level 0: those that another strategy, a bulk load or a restore left there would drag all their
 * bytes into the first merge of flushes. They count for the level whose runs have their size: level
 * i holds runs of base * fanout^i bytes, where an SSTable that covers a share of the ring counts as
 * the run it would be part of (as in Cassandra's unified strategy). The file is not touched.
 *
 * @param tableBytes the size at which merges cut their output
 * @param fanout how much larger the runs of the next level are, at least 2
 * @param flushBytes the size of a flush as far as known, else 0
 */
record Placement(long tableBytes, int fanout, LongSupplier flushBytes) {

  // Below two levels of difference a merge with flushes costs little and keeps the shape simple.
  private static final int LEAST_LIFT = 2;

  /** The level each SSTable counts for, 0 to {@link ShapeBuilder#DEEPEST_LEVEL}. */
  Map<SSTableReader, Integer> levels(List<SSTableReader> sstables) {
    long total = 0;
    for (SSTableReader sstable : sstables) {
      total += sstable.onDiskLength();
    }
    long base = Math.max(tableBytes, flushBytes.getAsLong());
    Map<SSTableReader, Integer> levels = new HashMap<>();
    for (SSTableReader sstable : sstables) {
      int level = Math.min(sstable.getSSTableLevel(), ShapeBuilder.DEEPEST_LEVEL);
      if (level == 0) {
        level = lift(sstable.onDiskLength(), share(sstable), total, base, fanout);
      }
      levels.put(sstable, level);
    }
    return levels;
  }

  /** A lone partition counts as the whole ring, and so does all where tokens measure nothing. */
  private static double share(SSTableReader sstable) {
    boolean measurable = sstable.getPartitioner().splitter().isPresent();
    return measurable ? sstable.getFirst().getToken().size(sstable.getLast().getToken()) : 1;
  }

  /**
   * The level whose runs have the size of the run an SSTable would be part of; 0 if it is no larger
   * than flushes are.
   *
   * @param share the share of the ring it covers, above 0 and at most 1
   * @param totalBytes bytes of all SSTables, which no run exceeds
   * @param baseBytes the size of a run of level 0
   */
  static int lift(long bytes, double share, long totalBytes, long baseBytes, int fanout) {
    double run = Math.min(totalBytes, bytes / share);
    int level = 0;
    for (double size = baseBytes; size * fanout <= run; size *= fanout) {
      level++;
    }
    boolean huge = bytes >= baseBytes && level >= LEAST_LIFT;
    return huge ? Math.min(level, ShapeBuilder.DEEPEST_LEVEL) : 0;
  }
}
