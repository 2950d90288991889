// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.CassandraCompatibility;
import java.util.Set;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionIterator;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.TimeUUID;

/**
 * Progress of a merge while one of its tasks runs, as {@code nodetool compactionstats} shows it.
 *
 * <p>It shows the whole merge under one id, and {@code nodetool stop} ends the merge. Cassandra
 * reads the progress from any thread.
 *
 * <p>For the disk checks of other compactions, Cassandra derives from it the bytes still to be
 * written. It adds the totals up once the task has ended. The compressed total is therefore chosen
 * so that the derived value is exactly the rest of the step, and at the end both totals are those
 * of the task.
 */
public final class MergeProgress extends CompactionInfo.Holder {

  private final TableMetadataRef table;
  private final OperationType type;
  private final TimeUUID id;
  private volatile Set<SSTableReader> sstables = Set.of();
  private volatile String directory;

  private volatile Runnable whenStopped = () -> {};
  private volatile CompactionIterator step;
  private volatile long stepBytes;
  private volatile double stepRatio = 1;
  private volatile long before;
  private volatile long total;

  private volatile boolean ended;
  private volatile long taskBytes;
  private volatile long taskCompressed;

  public MergeProgress(TableMetadataRef table, OperationType type, TimeUUID id) {
    this.table = table;
    this.type = type;
    this.id = id;
  }

  /** Sets the claimed SSTables, which are copied, so that a stop or pause finds the task. */
  public void claimed(Set<SSTableReader> claimed) {
    sstables = Set.copyOf(claimed);
  }

  /**
   * Begins the progress of a step. Bytes are uncompressed.
   *
   * @param readBytes bytes that earlier steps of the merge have read
   * @param restLength bytes left for this step and all later ones
   * @param bytes the part of {@code restLength} that this step reads
   * @param ratio bytes on disk per uncompressed byte
   */
  void stepStarts(
      CompactionIterator iterator, long readBytes, long restLength, long bytes, double ratio) {
    before = readBytes;
    total = readBytes + restLength;
    stepBytes = bytes;
    stepRatio = ratio;
    step = iterator;
    if (isStopRequested()) {
      iterator.stop();
    }
  }

  void writingTo(String path) {
    directory = path;
  }

  /**
   * Records that a step has ended or failed.
   *
   * @param read uncompressed bytes that the step has read
   */
  void stepEnds(long read) {
    taskBytes += read;
    taskCompressed += (long) (read * stepRatio);
    before += read;
    step = null;
  }

  /** Ends the progress: from now on, the totals are those of the task alone. */
  void end() {
    ended = true;
  }

  /** Sets an action that each thread which stops the task runs at the end of {@link #stop}. */
  void whenStopped(Runnable done) {
    whenStopped = done;
  }

  @Override
  public void stop() {
    super.stop();
    CompactionIterator iterator = step;
    if (iterator != null) {
      iterator.stop();
    }
    whenStopped.run();
  }

  @Override
  public boolean isGlobal() {
    return false;
  }

  /** Returns an upper bound of the bytes on disk that the current step has still to write. */
  long leftOnDisk() {
    CompactionIterator iterator = step;
    return iterator == null
        ? 0
        : (long) ((stepBytes - Math.min(stepBytes, iterator.getBytesRead())) * stepRatio);
  }

  @Override
  public CompactionInfo getCompactionInfo() {
    if (ended) {
      return info(taskBytes, taskBytes, taskCompressed);
    }
    CompactionIterator iterator = step;
    long read = iterator == null ? 0 : Math.min(stepBytes, iterator.getBytesRead());
    long completed = Math.min(total, before + read);
    double left = iterator == null ? 0 : (stepBytes - read) * stepRatio;
    long compressed = completed == total ? 0 : (long) (left * total / ((double) total - completed));
    return info(completed, total, compressed);
  }

  private CompactionInfo info(long completed, long all, long compressed) {
    // A caller that stops the merges of a table compares with the present schema of the table.
    return CassandraCompatibility.info(
        table.get(), type, completed, all, compressed, id, sstables, directory);
  }
}
