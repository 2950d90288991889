// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import java.util.Collection;
import java.util.Optional;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.metadata.StatsMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.EstimatedHistogram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts in the statistics of one SSTable file.
 *
 * <p>Cassandra counts all tombstones together: those of partitions, ranges, rows, collections and
 * cells. Only the first three hide whole rows. Their number follows from rows without columns,
 * partitions without rows, and partitions with at most one cell and no row. Any values are allowed,
 * because a file may be damaged.
 *
 * @param partitions partitions in the file
 * @param width regular and static columns of the table
 * @param bare partitions with at most one cell
 * @param largerCells cells that the other partitions have at least; 0 if the table has static
 *     columns
 * @param rows rows in the file, deleted ones included
 * @param columns columns set in all rows; a null and a collection count as one each
 * @param cells most tombstones that cells and collections may account for
 * @param tombstones tombstones of any kind, and all cells and rows that expire
 * @param expires whether some cell or row expires
 * @param collections whether the table has collections; each replaced one adds tombstones
 */
record SSTableCounts(
    long partitions,
    int width,
    long bare,
    long largerCells,
    long rows,
    long columns,
    double cells,
    double tombstones,
    boolean expires,
    boolean collections) {

  private static final Logger LOGGER = LoggerFactory.getLogger(SSTableCounts.class);

  /** Returns the counts of an SSTable; empty, with a warning, if they are impossible. */
  static Optional<SSTableCounts> of(SSTableReader sstable) {
    StatsMetadata stats = sstable.getSSTableMetadata();
    TableMetadata table = sstable.metadata();
    boolean collections = table.regularColumns().hasComplex() || table.staticColumns().hasComplex();
    EstimatedHistogram perPartition = stats.estimatedCellPerPartitionCount;
    SSTableCounts counts =
        new SSTableCounts(
            stats.estimatedPartitionSize.count(),
            table.regularColumns().size() + table.staticColumns().size(),
            perPartition.getBuckets(false)[0],
            table.staticColumns().isEmpty() ? cellsBeyondOne(perPartition) : 0,
            stats.totalRows,
            stats.totalColumnsSet,
            stats.totalColumnsSet + (collections ? cells(perPartition) : 0),
            stats.getDroppableTombstonesBefore(Long.MAX_VALUE),
            stats.maxTTL > 0,
            collections);
    return counts.fitInto(sstable.uncompressedLength(), sstable.toString());
  }

  /**
   * Returns these counts; empty, with a warning, if a file of this size cannot have them. Each
   * partition, row, column and tombstone takes at least one byte. The counts steer plans, and the
   * mean of all SSTables includes them, so a single wrong file would cause useless merges.
   *
   * @param bytes size of the file before compression
   * @param name name of the SSTable, for the warning
   */
  Optional<SSTableCounts> fitInto(long bytes, String name) {
    boolean fits =
        isWithin(bytes, partitions)
            && isWithin(bytes, bare)
            && isWithin(bytes, largerCells)
            && isWithin(bytes, rows)
            && isWithin(bytes, columns)
            && isWithin(bytes, tombstones);
    if (!fits) {
      LOGGER.warn(
          "{}: {} bytes cannot hold the {} partitions, {} rows, {} columns and {} tombstones of its"
              + " statistics; plans ignore its deletions until nodetool scrub has rewritten it",
          name,
          bytes,
          partitions,
          rows,
          columns,
          tombstones);
    }
    return fits ? Optional.of(this) : Optional.empty();
  }

  private static boolean isWithin(long bytes, double count) {
    return count >= 0 && count <= bytes;
  }

  /** Returns a lower bound of the cells in partitions that have more than one cell. */
  private static long cellsBeyondOne(EstimatedHistogram perPartition) {
    long[] offsets = perPartition.getBucketOffsets();
    long[] buckets = perPartition.getBuckets(false);
    long cells = 0;
    for (int i = 1; i < buckets.length; i++) {
      // A bucket begins above the offset of the one before.
      cells += buckets[i] * (offsets[i - 1] + 1);
    }
    return cells;
  }

  private static double cells(EstimatedHistogram perPartition) {
    return perPartition.isOverflowed()
        ? Double.MAX_VALUE
        : perPartition.rawMean() * perPartition.count();
  }

  /**
   * Density of the rows of a table.
   *
   * @param rowColumns columns set in a row, the mean of the SSTable with the most; at least 1
   * @param partitionRows mean number of rows in a partition that has any; at least 1
   */
  record Density(double rowColumns, double partitionRows) {

    /**
     * Returns the density of the rows in some SSTables. A merge keeps the deletions of partitions
     * whose rows it removes, so partitions that are certainly empty count as none.
     */
    static Density of(Collection<SSTableCounts> sstables) {
      double rowColumns = 1;
      double rows = 0;
      double partitions = 0;
      for (SSTableCounts counts : sstables) {
        if (counts.rows > 0) {
          double columns = Math.min(counts.width, (double) counts.columns / counts.rows);
          rowColumns = Math.max(rowColumns, columns);
          rows += counts.rows;
          partitions += Math.max(0, counts.partitions - counts.emptyPartitions());
        }
      }
      return new Density(rowColumns, Math.max(1, rows / Math.max(1, partitions)));
    }
  }

  /**
   * Deletions in one SSTable.
   *
   * @param entries rows, and partitions without rows
   * @param deletions deleted rows and partitions among the entries
   * @param hidden older rows in other SSTables that the deletions hide
   */
  record Deletions(long entries, long deletions, long hidden) {}

  /**
   * Returns the estimated deletions. A deleted row hides one row. A deleted partition or range
   * hides as many as a partition has.
   */
  Deletions deletions(Density density) {
    double anyRows = Math.max(0, rows);
    double anyColumns = Math.max(0, columns);
    double anyTombstones = Math.max(0, tombstones);
    double certain = Math.max(0, anyTombstones - Math.max(0, cells) - (expires ? anyRows : 0));
    double emptyRows = Math.max(0, anyRows - anyColumns / density.rowColumns);
    double deletedRows = Math.min(emptyRows, collections ? certain : anyTombstones);
    double deletedPartitions =
        Math.min(
            Math.max(emptyPartitions(), certain - deletedRows),
            Math.min(Math.max(0, partitions), anyTombstones - deletedRows));
    return new Deletions(
        Math.round(anyRows + deletedPartitions),
        Math.round(deletedRows + deletedPartitions),
        Math.round(deletedRows + deletedPartitions * density.partitionRows));
  }

  /** Returns the partitions that certainly have no row, at least 0. */
  private double emptyPartitions() {
    double anyRows = Math.max(0, rows);
    return Math.max(0, Math.max(partitions - anyRows, bareWithoutRows(anyRows)));
  }

  /**
   * Returns the number of bare partitions that certainly have no row. A row has at most one cell
   * per column, so the larger partitions have at least {@code largerCells / width} of the rows.
   */
  private double bareWithoutRows(double anyRows) {
    if (expires || collections) {
      return 0;
    }
    return bare - Math.max(0, anyRows - (double) largerCells / Math.max(1, width));
  }
}
