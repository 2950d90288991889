// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.ShardManager;
import org.apache.cassandra.db.compaction.ShardTracker;
import org.apache.cassandra.db.compaction.writers.MaxSSTableSizeWriter;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableFormat;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.format.SSTableWriter;

/**
 * The writer of a step's outputs. It cuts them at the bounds of {@link OutputShards}, or by size
 * alone if tokens cannot be halved. The creator of the step receives the outputs before they are
 * visible to anything else.
 */
final class StepWriter extends MaxSSTableSizeWriter {

  /**
   * Rules for cutting outputs.
   *
   * @param level the level of the outputs
   * @param maxBytes the size in bytes on disk that an output exceeds by at most one partition
   * @param shards the number of shards into which the owned tokens are halved; 0 for none
   * @param minBytes an output up to this size continues across a bound
   */
  record Cutting(int level, long maxBytes, int shards, long minBytes) {}

  private final Cutting cutting;
  private final ShardTracker bounds;
  private final long stepBytes;
  private final Consumer<Collection<SSTableReader>> prepared;
  private final IncrementalSync writeback;

  /**
   * Creates a writer for one step.
   *
   * @param transaction commits the outputs
   * @param sstables the SSTables that the step reads
   * @param stepBytes the bytes on disk that the step reads
   * @param prepared receives the outputs just before they are committed; its exception aborts the
   *     step
   */
  StepWriter(
      ColumnFamilyStore cfs,
      LifecycleTransaction transaction,
      Set<SSTableReader> sstables,
      Cutting cutting,
      long stepBytes,
      Consumer<Collection<SSTableReader>> prepared) {
    super(cfs, cfs.getDirectories(), transaction, sstables, cutting.maxBytes, cutting.level);
    this.cutting = cutting;
    this.stepBytes = stepBytes;
    this.prepared = prepared;
    this.writeback = new IncrementalSync(cutting.maxBytes);
    this.bounds = cutting.shards > 0 ? ShardManager.create(cfs).boundaries(cutting.shards) : null;
  }

  @Override
  protected boolean shouldSwitchWriterInCurrentLocation(DecoratedKey key) {
    boolean crossed = bounds != null && bounds.advanceTo(key.getToken());
    return super.shouldSwitchWriterInCurrentLocation(key)
        || crossed
            && sstableWriter.currentWriter().getEstimatedOnDiskBytesWritten() > cutting.minBytes;
  }

  @Override
  protected SSTableWriter sstableWriter(Directories.DataDirectory directory, DecoratedKey nextKey) {
    if (bounds != null && nextKey != null) {
      bounds.advanceTo(nextKey.getToken());
    }
    return super.sstableWriter(directory, nextKey);
  }

  /**
   * Returns the expected size of all outputs of the step. Straddling inputs are read in part, so
   * their whole size would be too much.
   */
  @Override
  protected long getExpectedWriteSize() {
    return Math.min(stepBytes, super.getExpectedWriteSize());
  }

  /**
   * Starts a background sync of the data written, once a slice is complete. Does not wait.
   *
   * @throws org.apache.cassandra.io.FSError if the previous sync has failed
   */
  void writeBack() {
    SSTableWriter writer = sstableWriter.currentWriter();
    if (writer != null) {
      writeback.wrote(
          writer.descriptor.fileFor(SSTableFormat.Components.DATA), writer.getOnDiskFilePointer());
    }
  }

  @Override
  protected Throwable doAbort(Throwable accumulate) {
    writeback.settle();
    return super.doAbort(accumulate);
  }

  @Override
  protected void doPrepare() {
    writeback.await();
    super.doPrepare();
    prepared.accept(List.copyOf(sstableWriter.finished()));
  }
}
