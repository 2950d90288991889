// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import java.util.List;

/**
 * Bean with facts about one table, which the parent process reads over JMX.
 *
 * <p>Sizes are bytes of data components on disk. Space is bytes of all files in the table's
 * directories, including files that are incomplete or not yet deleted.
 */
public interface RecorderMXBean {

  /** Object name of the recorder in a node. */
  String NAME = "io.coppice.bench:type=Recorder";

  /** Returns whether the node answers CQL. */
  boolean isServing();

  /** Starts to record a table and forgets everything recorded before. */
  void watch(String keyspace, String table);

  /**
   * Waits until all compactions have ended, the strategy returns no task when asked once more, and
   * obsolete files are deleted.
   *
   * @param limitMillis longest wait in milliseconds
   * @return empty on success, otherwise the reason in a sentence: work that remains after the
   *     limit, a strategy that reports tasks but returns none, a failed compaction, or an interrupt
   */
  String settle(long limitMillis);

  /**
   * Changes of the table since {@link #watch}.
   *
   * @param flushes number of memtables that became SSTables
   * @param flushedBytes bytes of all SSTables ever flushed
   * @param rewrites number of compactions that wrote at least one SSTable
   * @param rewrittenBytes bytes of all SSTables ever written by anything except flushes
   * @param moves number of SSTables whose level changed without a rewrite
   * @param drops number of compactions that only removed SSTables
   */
  record Changes(
      int flushes, long flushedBytes, int rewrites, long rewrittenBytes, int moves, int drops) {}

  Changes getChanges();

  /**
   * Returns the bytes of SSTables in the directory that no notification ever named. The result is
   * exact only while no compaction runs.
   */
  long getUnannouncedBytes();

  /**
   * Running compactions of the node.
   *
   * @param compactions number of compactions
   * @param bytes bytes that they have still to read
   */
  record Running(int compactions, long bytes) {}

  Running getRunning();

  /** Returns the number of live SSTables. */
  int getTables();

  /**
   * Returns the number of live SSTables whose key range covers a token: its mean, maximum and
   * distribution over the token ring.
   */
  Overlap getOverlap();

  /** Returns the class names of the table's strategy instances, each once. */
  List<String> getStrategies();

  /**
   * Starts a new series of space samples.
   *
   * @param liveBytes bytes of live data, above 0, with which samples are compared
   */
  void startSpace(long liveBytes);

  /** Sets the bytes of live data with which later samples are compared. */
  void liveBytes(long liveBytes);

  /**
   * Space in a series of samples, which {@link #startSpace} began.
   *
   * @param bytes present bytes in the table's directories
   * @param peakBytes largest bytes of any sample
   * @param meanRatio mean ratio of space to live bytes
   * @param peakRatio largest ratio of space to live bytes
   * @param samples number of samples
   */
  record Space(long bytes, long peakBytes, double meanRatio, double peakRatio, int samples) {}

  /** Takes one more sample. */
  Space getSpace();
}
