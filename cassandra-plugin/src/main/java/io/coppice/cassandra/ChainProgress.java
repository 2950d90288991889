// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Set;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionIterator;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.TimeUUID;

/**
 * What {@code nodetool compactionstats} shows of a merge while one of its tasks runs: the progress
 * of the whole chain under one id, and {@code nodetool stop} ends it. Cassandra reads it from any
 * thread.
 *
 * <p>Cassandra also derives from it what is still to be written, for the disk checks of others, and
 * adds the totals up once the task has ended. Hence the compressed total is such that just what the
 * step has left comes out of it, and at the end both totals are those of the task.
 */
final class ChainProgress extends CompactionInfo.Holder {

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

  ChainProgress(TableMetadataRef table, OperationType type, TimeUUID id) {
    this.table = table;
    this.type = type;
    this.id = id;
  }

  /** Nothing has been read yet; a stop or pause must see what is claimed. */
  void claimed(Set<SSTableReader> claimed) {
    sstables = Set.copyOf(claimed);
  }

  /**
   * A step starts.
   *
   * @param readBytes what earlier steps of the chain have read, uncompressed
   * @param restBytes what is left for this step and all later ones, uncompressed
   * @param bytes what this step reads of it
   * @param ratio bytes on disk to uncompressed ones
   */
  void stepStarts(
      CompactionIterator iterator, long readBytes, long restBytes, long bytes, double ratio) {
    before = readBytes;
    total = readBytes + restBytes;
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
   * A step has ended or failed.
   *
   * @param read what it has read, uncompressed
   */
  void stepEnds(long read) {
    taskBytes += read;
    taskCompressed += (long) (read * stepRatio);
    before += read;
    step = null;
  }

  /** The task ends. */
  void end() {
    ended = true;
  }

  /** Has something done besides when it is stopped, by the thread that stops it. */
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

  /** What the step under way has still to write at most, on disk. */
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
    // Who wants the merges of a table stopped compares with its schema of that moment.
    return Patches.info(table.get(), type, completed, all, compressed, id, sstables, directory);
  }
}
