// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.base.MemoryBudget;
import io.coppice.bench.suite.Directories;
import io.coppice.entry.EntryCompactor;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.MergingCursor;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.disk.RealDisk;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import io.coppice.table.OpenTables;
import io.coppice.table.RollingTableWriter;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.block.LevelCompression;
import io.coppice.table.filter.FilterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Cost of rewriting an entry into new synced tables with filters, and with {@code -prof gc} its
 * allocation. The entry has a key of 16 and a value of 100 bytes. It passes the entry compactor,
 * and comes from a memtable or from two overlapping tables.
 */
@Measurement(iterations = 3, time = 1)
public class RewriteBenchmark extends Microbenchmark {

  private static final int ENTRIES = 200_000;
  private static final long TABLE_BYTES = 4L << 20;

  /** The codec of all tables. */
  @Param({"none", "lz4", "zstd"})
  public String compression;

  private Path directory;
  private RealDisk disk;
  private OpenTables tables;
  private ChunkPool pool;
  private Memtable memtable;
  private List<TableMeta> inputs;
  private long numbers;

  /** Fills the memtable, then writes its entries and those of another memtable as two tables. */
  @Setup
  public void open() throws IOException {
    directory = Files.createTempDirectory("coppice-rewrite");
    disk = RealDisk.open(directory);
    MemoryBudget memory = MemoryBudget.ofMebibytes(256);
    pool = new ChunkPool(memory, 0);
    TableOptions form =
        TableOptions.DEFAULT.with(LevelCompression.parse(compression, new ArrayList<>()));
    FilterOptions filters = new FilterOptions(10, 0);
    tables = OpenTables.open(disk, memory, form, filters, List.of());
    inputs = new ArrayList<>();
    Memtable other = filled(1);
    memtable = filled(ENTRIES);
    for (Memtable source : List.of(memtable, other)) {
      RollingTableWriter series =
          new RollingTableWriter(disk, tables, () -> ++numbers, Long.MAX_VALUE);
      rewrite(source.cursor(), series);
      inputs.addAll(series.finished());
    }
    other.release();
  }

  private Memtable filled(long firstSequence) {
    Memtable filled = Memtable.tryCreate(pool);
    Random random = new Random(firstSequence);
    byte[] key = new byte[16];
    byte[] value = new byte[100];
    for (int i = 0; i < ENTRIES / 2; i++) {
      ByteBuffer.wrap(key).putLong(8, random.nextInt());
      random.nextBytes(value);
      System.arraycopy(value, 0, value, 50, 50);
      filled.add(firstSequence + i, EntryKind.PUT, key, 0, 16, value, 0, 100);
    }
    return filled;
  }

  @TearDown
  public void close() throws IOException {
    memtable.release();
    pool.close();
    tables.close();
    disk.close();
    Directories.delete(directory);
  }

  /** Flushes the memtable to a table; the result is per entry. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES / 2)
  public long flush() throws IOException {
    try (RollingTableWriter outputs = outputs()) {
      return rewrite(memtable.cursor(), outputs);
    }
  }

  /** Merges two tables into one; the result is per entry. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long merge() throws IOException {
    List<EntryCursor> cursors = new ArrayList<>();
    for (TableMeta input : inputs) {
      cursors.add(tables.get(input.number()).cursor());
    }
    try (RollingTableWriter outputs = outputs()) {
      return rewrite(new MergingCursor(cursors), outputs);
    }
  }

  private RollingTableWriter outputs() {
    return new RollingTableWriter(disk, tables, () -> ++numbers, TABLE_BYTES);
  }

  private static long rewrite(EntryCursor from, RollingTableWriter outputs) throws IOException {
    try (from) {
      EntryCompactor compactor =
          new EntryCompactor(
              from, RangeDeletions.NONE, EntryCompactor.Rules.ofFlush(new long[0]), outputs);
      for (compactor.first(); compactor.hasMore(); ) {
        compactor.writeKey();
        if (outputs.full() && compactor.mayCut()) {
          compactor.cut();
        }
      }
      compactor.cutLast();
      outputs.syncFinished();
      return outputs.entries();
    }
  }
}
