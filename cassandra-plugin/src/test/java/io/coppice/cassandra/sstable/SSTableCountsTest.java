// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Estimate of deleted rows against drawn SSTables whose statistics are counted as in Cassandra. */
final class SSTableCountsTest {

  private static final long SEED = Seeds.first();
  private static final int DRAWS = 2000;

  /** Drawn SSTable: its statistics, and the rows that its deletions hide. */
  private static final class Drawn {
    private final int columns;
    private final int partitionRows;
    private final boolean collections;
    private final boolean expires;
    private long partitions;
    private long bare;
    private long largerCells;
    private long rows;
    private long columnsSet;
    private long cells;
    private long tombstones;
    private long hidden;

    Drawn(int columns, int partitionRows, boolean collections, boolean expires) {
      this.columns = columns;
      this.partitionRows = partitionRows;
      this.collections = collections;
      this.expires = expires;
    }

    /** Writes a partition of full rows, each with some nulls and one collection. */
    void insert(int nulls) {
      update(partitionRows, columns, nulls);
    }

    /** Writes some rows of a partition, with some columns of each, nulls included. */
    void update(int some, int set, int nulls) {
      long inPartition = (long) some * set + (collections ? 2L * some : 0);
      partitions++;
      count(inPartition);
      rows += some;
      columnsSet += (long) some * set;
      cells += inPartition;
      tombstones += (long) some * nulls;
      // A replaced collection of three elements is one column and one more tombstone.
      tombstones += collections ? some : 0;
      if (expires) {
        tombstones += (long) some * (set - nulls + 1);
        tombstones += collections ? 2L * some : 0;
      }
    }

    private void count(long cellsOfPartition) {
      if (cellsOfPartition <= 1) {
        bare++;
      } else {
        largerCells += cellsOfPartition;
      }
    }

    /** Deletes one row of a partition. */
    void deleteRow() {
      partitions++;
      bare++;
      rows++;
      tombstones++;
      hidden++;
    }

    void deleteRows() {
      partitions++;
      bare++;
      rows += partitionRows;
      tombstones += partitionRows;
      hidden += partitionRows;
    }

    void deletePartition() {
      partitions++;
      bare++;
      tombstones++;
      hidden += partitionRows;
    }

    SSTableCounts counts() {
      double inCells = columnsSet + (collections ? cells : 0);
      return new SSTableCounts(
          partitions,
          columns,
          bare,
          largerCells,
          rows,
          columnsSet,
          inCells,
          tombstones,
          expires,
          collections);
    }
  }

  @Test
  void rowsWithoutDeletionsHideNothing() {
    Random random = new Random(SEED);
    for (int draw = 0; draw < DRAWS; draw++) {
      Drawn data = drawn(random, random.nextBoolean(), random.nextBoolean());
      int nulls = random.nextInt(data.columns + (data.collections ? 0 : 1));
      for (int i = random.nextInt(100); i >= 0; i--) {
        data.insert(nulls);
      }
      assertThat(hidden(data, data))
          .as("seed " + SEED + ", draw %d, %s", draw, data.counts())
          .isZero();
    }
  }

  @Test
  void deletedRowsAndPartitionsAreCounted() {
    Random random = new Random(SEED);
    for (int draw = 0; draw < DRAWS; draw++) {
      Drawn data = drawn(random, random.nextBoolean(), random.nextInt(4) == 0);
      Drawn deletions = new Drawn(data.columns, data.partitionRows, data.collections, false);
      for (int i = 0; i < 200; i++) {
        data.insert(0);
      }
      boolean byRow = random.nextBoolean();
      for (int i = 0; i < 200; i++) {
        if (byRow) {
          deletions.deleteRows();
        } else {
          deletions.deletePartition();
        }
      }
      assertThat((double) hidden(deletions, data))
          .as("seed " + SEED + ", draw %d, %s after %s", draw, deletions.counts(), data.counts())
          .isEqualTo(deletions.hidden);
    }
  }

  @Test
  void deletionsAmongWritesAreNeverOverestimated() {
    Random random = new Random(SEED);
    long truth = 0;
    long found = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
      Drawn data = drawn(random, random.nextBoolean(), random.nextInt(4) == 0);
      Drawn mixed = new Drawn(data.columns, data.partitionRows, data.collections, data.expires);
      int nulls = random.nextInt(3) == 0 ? random.nextInt(data.columns) : 0;
      boolean byRow = random.nextBoolean();
      double share = random.nextDouble();
      for (int i = 0; i < 200; i++) {
        data.insert(nulls);
        if (random.nextDouble() >= share) {
          mixed.insert(nulls);
        } else if (byRow) {
          mixed.deleteRows();
        } else {
          mixed.deletePartition();
        }
      }
      long hidden = hidden(mixed, data);
      assertThat(hidden)
          .as("seed " + SEED + ", draw %d, %s after %s", draw, mixed.counts(), data.counts())
          .isLessThanOrEqualTo(mixed.hidden);
      truth += mixed.hidden;
      found += hidden;
    }
    assertThat(found).as("seed " + SEED + ", hidden rows found").isGreaterThan(truth / 8);
  }

  /**
   * Flushes hold a few rows of each partition. Deleted rows and nulls there are no deleted
   * partitions, even if the SSTable that tells the width of rows has deleted rows too.
   */
  @Test
  void rowsOfManyPartitionsAreNoDeletedPartitions() {
    Random random = new Random(SEED);
    for (int draw = 0; draw < DRAWS; draw++) {
      Drawn data = drawn(random, false, false);
      Drawn flush = new Drawn(data.columns, data.partitionRows, false, false);
      for (int i = 0; i < 200; i++) {
        data.insert(0);
        if (random.nextInt(10) == 0) {
          data.deleteRow();
        }
        if (random.nextBoolean()) {
          int set = 1 + random.nextInt(data.columns);
          int some = 1 + random.nextInt(data.partitionRows);
          flush.update(some, set, random.nextInt(set + 1));
        } else {
          flush.deleteRow();
        }
      }
      // Partly set rows look like deleted ones, of which each hides one row.
      assertThat(hidden(flush, data))
          .as("seed " + SEED + ", draw %d, %s after %s", draw, flush.counts(), data.counts())
          .isLessThanOrEqualTo(flush.rows);
    }
  }

  /**
   * A merge removes the rows of deleted partitions and keeps the deletions. Later deletions hide as
   * many rows of each partition as before.
   */
  @Test
  void mergedDeletionsLeaveTheMeanOfRowsAlone() {
    Random random = new Random(SEED);
    for (int draw = 0; draw < DRAWS; draw++) {
      Drawn merged = drawn(random, false, false);
      Drawn later = new Drawn(merged.columns, merged.partitionRows, false, false);
      double share = random.nextDouble();
      merged.insert(0);
      for (int i = 0; i < 200; i++) {
        if (random.nextDouble() >= share) {
          merged.insert(0);
        } else {
          merged.deletePartition();
        }
        later.deletePartition();
      }
      assertThat(hidden(later, merged))
          .as("seed " + SEED + ", draw %d, %s after %s", draw, later.counts(), merged.counts())
          .isEqualTo(later.hidden);
      assertThat(hidden(merged, merged))
          .as("seed " + SEED + ", draw %d, deletions in %s", draw, merged.counts())
          .isEqualTo(merged.hidden);
    }
  }

  /** A file with impossible counts is left out alone; the estimates of the others stay. */
  @Test
  void impossibleCountsAreLeftOut() {
    Drawn data = new Drawn(3, 4, false, false);
    Drawn deletions = new Drawn(3, 4, false, false);
    for (int i = 0; i < 100; i++) {
      data.insert(0);
      deletions.deletePartition();
    }
    SSTableCounts counts = data.counts();
    long bytes = counts.columns();
    assertThat(counts.fitInto(bytes, "sound")).contains(counts);
    for (double odd : new double[] {-1, bytes + 1, Long.MAX_VALUE}) {
      for (int field = 0; field < 6; field++) {
        long[] n = {counts.partitions(), counts.bare(), 0, counts.rows(), counts.columns(), 0};
        n[field] = (long) odd;
        SSTableCounts damaged =
            new SSTableCounts(n[0], 3, n[1], n[2], n[3], n[4], n[4], n[5], false, false);
        assertThat(damaged.fitInto(bytes, "damaged")).as(damaged.toString()).isEmpty();
      }
    }
    assertThat(hidden(deletions, data)).isEqualTo(400);
  }

  @Test
  void absurdCountsAreClamped() {
    for (long odd : new long[] {-1, 0, Long.MIN_VALUE, Long.MAX_VALUE}) {
      for (double tombstones : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY, 7}) {
        SSTableCounts counts =
            new SSTableCounts(odd, 3, odd, odd, odd, odd, odd, tombstones, odd == 0, odd == 0);
        SSTableCounts.Deletions deletions =
            counts.deletions(SSTableCounts.Density.of(List.of(counts)));
        assertThat(deletions.entries()).isNotNegative();
        assertThat(deletions.deletions()).isNotNegative();
        assertThat(deletions.hidden()).isNotNegative();
      }
    }
  }

  private static long hidden(Drawn sstable, Drawn other) {
    List<SSTableCounts> all = List.of(sstable.counts(), other.counts());
    return sstable.counts().deletions(SSTableCounts.Density.of(all)).hidden();
  }

  private static Drawn drawn(Random random, boolean collections, boolean expires) {
    int rows = random.nextBoolean() ? 1 : 1 + random.nextInt(50);
    return new Drawn(1 + random.nextInt(8), rows, collections, expires);
  }
}
