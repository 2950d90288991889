// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Collection;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.CompactionTask;
import org.apache.cassandra.db.compaction.writers.CompactionAwareWriter;
import org.apache.cassandra.db.compaction.writers.MaxSSTableSizeWriter;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Rewrites the SSTables of a transaction into new ones of limited size at one level. All else, such
 * as throttling, history, metrics and the disk check, is Cassandra's own.
 */
final class MergeTask extends CompactionTask {

  private final int level;
  private final long tableBytes;
  private final TableFigures figures;

  /**
   * Takes a transaction.
   *
   * @param transaction whose originals are claimed; the task closes it
   * @param tableBytes outputs are cut once they exceed it; {@link Long#MAX_VALUE} means never
   */
  MergeTask(
      ColumnFamilyStore cfs,
      LifecycleTransaction transaction,
      long gcBefore,
      int level,
      long tableBytes,
      TableFigures figures) {
    super(cfs, transaction, gcBefore);
    this.level = level;
    this.tableBytes = tableBytes;
    this.figures = figures;
  }

  @Override
  protected int getLevel() {
    return level;
  }

  @Override
  public CompactionAwareWriter getCompactionAwareWriter(
      ColumnFamilyStore table,
      Directories directories,
      LifecycleTransaction inputs,
      Set<SSTableReader> nonExpired) {
    return new CountingWriter(table, directories, inputs, nonExpired);
  }

  private final class CountingWriter extends MaxSSTableSizeWriter {

    CountingWriter(
        ColumnFamilyStore table,
        Directories directories,
        LifecycleTransaction inputs,
        Set<SSTableReader> nonExpired) {
      super(table, directories, inputs, nonExpired, tableBytes, level, keepOriginals);
    }

    @Override
    public Collection<SSTableReader> finish() {
      Collection<SSTableReader> outputs = super.finish();
      figures.merged(SSTableReader.getTotalBytes(outputs));
      return outputs;
    }
  }
}
