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

  /** Returns the number of memtables that became SSTables. */
  int getFlushes();

  /** Returns the sizes of all SSTables ever flushed, in order. */
  long[] getFlushedSizes();

  /** Returns the sizes of all SSTables ever created by anything but a flush, in order. */
  long[] getRewrittenSizes();

  /** Returns the number of compactions that wrote at least one SSTable. */
  int getRewrites();

  /** Returns the number of SSTables whose level changed without a rewrite. */
  int getMoves();

  /** Returns the number of compactions that only removed SSTables. */
  int getDrops();

  /**
   * Returns the bytes of SSTables in the directory that no notification ever named. The figure is
   * right when the node is quiet.
   */
  long getUnannouncedBytes();

  /** Returns the number of remaining tasks that the strategy reports. */
  int getPending();

  /** Returns the number of running compactions. */
  int getRunning();

  /** Returns the bytes that the running compactions have still to read. */
  long getRunningBytes();

  /** Returns the number of live SSTables. */
  int getTables();

  /**
   * Returns the mean over the token ring of the number of live SSTables whose key range covers a
   * token.
   */
  double getMeanOverlap();

  /**
   * Returns the shares of the token ring by the number of live SSTables whose key range covers a
   * token, from 0 to the most.
   */
  double[] getOverlapShares();

  /** Returns the largest number of live SSTables whose key ranges share a token. */
  int getMaxOverlap();

  /** Returns the class names of the strategy objects in charge, without repetition. */
  List<String> getStrategies();

  /** Starts a new series of space samples, compared with this many live bytes (above zero). */
  void startSpace(long liveBytes);

  /** Changes the live bytes for comparison with samples. */
  void liveBytes(long liveBytes);

  /** Returns the current bytes in the table's directories. */
  long getSpaceBytes();

  /** Returns the most bytes of any space sample in the series. */
  long getPeakSpaceBytes();

  /** Returns the mean ratio of space to live bytes in the series. */
  double getMeanSpaceRatio();

  /** Returns the largest ratio of space to live bytes in the series. */
  double getPeakSpaceRatio();

  /** Returns the number of space samples since {@link #startSpace}. */
  int getSpaceSamples();
}
