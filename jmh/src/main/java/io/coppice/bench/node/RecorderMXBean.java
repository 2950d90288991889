// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import java.util.List;

/**
 * Facts about one watched table, read by the parent process over JMX.
 *
 * <p>Sizes are bytes of data components on disk. Space is bytes of all files in the table's
 * directories, including unfinished and undeleted ones.
 */
public interface RecorderMXBean {

  /** Object name of the recorder in a node. */
  String NAME = "io.coppice.bench:type=Recorder";

  /** Returns whether the node answers CQL. */
  boolean isServing();

  /** Forgets what was recorded and records this table from now on. */
  void watch(String keyspace, String table);

  /**
   * Waits until no compaction runs or is pending and the strategy, asked once more, plans nothing.
   * It also waits for deletions.
   *
   * @return empty when quiet, otherwise a sentence with the remaining work
   */
  String settle(long limitMillis);

  /**
   * Changes of the table since it is watched.
   *
   * @param flushes memtables that became SSTables
   * @param flushedBytes of all SSTables ever flushed
   * @param rewrites compactions that wrote at least one SSTable
   * @param rewrittenBytes of all SSTables ever created by anything but a flush
   * @param moves SSTables whose level changed without a rewrite
   * @param drops compactions that only removed SSTables
   */
  record Changes(
      int flushes, long flushedBytes, int rewrites, long rewrittenBytes, int moves, int drops) {}

  Changes getChanges();

  /**
   * Returns the bytes of SSTables in the directory that no notification ever named. The figure is
   * right when the node is quiet.
   */
  long getUnannouncedBytes();

  /**
   * Compactions that run.
   *
   * @param bytes that they have still to read
   */
  record Running(int compactions, long bytes) {}

  Running getRunning();

  /** Returns the number of live SSTables. */
  int getTables();

  /** Returns how the key ranges of the live SSTables overlap. */
  Overlap getOverlap();

  /** Returns the class names of the strategy objects in charge, without repetition. */
  List<String> getStrategies();

  /** Starts a new series of space samples, compared with this many live bytes (above zero). */
  void startSpace(long liveBytes);

  /** Changes the live bytes for comparison with samples. */
  void liveBytes(long liveBytes);

  /**
   * Space of a series of samples.
   *
   * @param bytes in the table's directories now
   * @param peakBytes the most bytes of any sample
   * @param meanRatio mean ratio of space to live bytes
   * @param peakRatio largest ratio of space to live bytes
   * @param samples since {@link #startSpace}
   */
  record Space(long bytes, long peakBytes, double meanRatio, double peakRatio, int samples) {}

  /** Takes one more sample. */
  Space getSpace();
}
