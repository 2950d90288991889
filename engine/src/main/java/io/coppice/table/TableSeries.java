// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import io.coppice.base.DiskFullException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntrySieve;
import io.coppice.entry.Kind;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.io.Disk;
import io.coppice.io.OutOfFilesException;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;

/**
 * One sorted stream of entries written as tables of limited size. The caller says where a cut is
 * allowed: between user keys only. Tables that were not handed over to an edit are removed by
 * {@link #close}. Not safe to share between threads.
 */
public final class TableSeries implements EntrySieve.Output, Closeable {

  private final Disk disk;
  private final OpenTables tables;
  private final LongSupplier numbers;
  private final long tableBytes;

  /** One is under way while another waits, so that the worker need not. */
  private static final int MOST_SYNCS = 2;

  private final List<TableMeta> finished = new ArrayList<>();

  /** Of tables that may not be durable yet, oldest first. */
  private final Queue<FutureTask<Void>> syncs = new ArrayDeque<>();

  private int family;
  private int level;

  /** Bits of a fingerprint, on average over the tables; less than 0 for what is usual. */
  private double filterBits = -1;

  /** What filters so far are short of the average, as a share of the step to the next size. */
  private double owed = 0.5;

  private final TableWriter.Buffers buffers = new TableWriter.Buffers();
  private TableWriter writer;
  private long entries;

  /** Of the tables finished so far, also of those handed over. */
  private long cutBytes;

  /**
   * Starts a series.
   *
   * @param numbers gives file numbers, each once
   * @param tableBytes a table is full once it has so many bytes, or as many entries as a filter may
   *     have keys
   */
  public TableSeries(Disk disk, OpenTables tables, LongSupplier numbers, long tableBytes) {
    this.disk = disk;
    this.tables = tables;
    this.numbers = numbers;
    this.tableBytes = tableBytes;
  }

  /** Says of which family the tables are, by its number; 0 if this is not called. */
  public TableSeries of(int number) {
    family = number;
    return this;
  }

  /** Says for which level the tables are written, which chooses their codec; 0 if this is not. */
  public TableSeries at(int target) {
    level = target;
    return this;
  }

  /**
   * Says how large the run is to which the following tables belong; filters are the usual ones if
   * this is not called.
   *
   * @param own entries that the run will have
   * @param others entries that the other runs of the family will have
   */
  public void filtersFor(long own, long[] others) {
    filterBits = tables.filterBits(own, others);
  }

  @Override
  public void add(EntryCursor cursor) throws IOException {
    writer().add(cursor);
    entries++;
  }

  @Override
  public void add(byte[] key, int keyLength, long sequence, Kind kind, byte[] value)
      throws IOException {
    writer().add(key, 0, keyLength, sequence, kind, value, 0, value.length);
    entries++;
  }

  @Override
  public void add(Fragment deletions) throws IOException {
    writer().add(deletions);
  }

  private TableWriter writer() throws IOException {
    if (writer == null) {
      writer = tables.create(numbers.getAsLong(), level, buffers);
      writer.family(family);
      if (filterBits >= 0) {
        writer.filterBits(nextFilterBits());
      }
    }
    return writer;
  }

  private int nextFilterBits() {
    int bits = FilterAllocation.lower(filterBits);
    owed += FilterAllocation.share(filterBits);
    if (owed < 1) {
      return bits;
    }
    owed--;
    return FilterAllocation.next(bits);
  }

  /** Returns true if the table being written should be cut before the next user key. */
  public boolean full() throws IOException {
    return writer != null && (writer.full(tableBytes) || writer.entries() >= FilterShape.MAX_KEYS);
  }

  /**
   * Finishes the table being written, if there is one. It may be read; it is durable only after
   * {@link #syncTables}, which a worker begins meanwhile. Waits while too much is not durable.
   */
  @Override
  public void cut(byte[] limit) throws IOException {
    if (writer != null) {
      TableWriter full = writer;
      writer = null;
      full.limit(limit);
      TableMeta table = tables.complete(full);
      finished.add(table);
      cutBytes += table.bytes();
      syncs.add(tables.sync(full));
      syncUpTo(MOST_SYNCS);
    }
  }

  /** Bytes written so far. */
  public long bytes() {
    return cutBytes + (writer == null ? 0 : writer.bytes());
  }

  /** Entries added so far, range deletions left out. */
  public long entries() {
    return entries;
  }

  /** Tables finished and not handed over. */
  public List<TableMeta> finished() {
    return List.copyOf(finished);
  }

  /** Makes the finished tables durable; their names are not. */
  public void syncTables() throws IOException {
    syncUpTo(0);
  }

  /** Returns once so few syncs are left, at most; what has not begun is done here. */
  private void syncUpTo(int left) throws IOException {
    while (syncs.size() > left) {
      Throwable problem = failure(syncs.element());
      if (problem != null) {
        Throwables.throwIfInstanceOf(problem, IOException.class);
        Throwables.throwIfUnchecked(problem);
      }
      syncs.remove();
    }
  }

  /** How a sync ended; null if all is well. */
  private static Throwable failure(FutureTask<Void> sync) {
    sync.run();
    try {
      Uninterruptibles.getUninterruptibly(sync);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** Makes the finished tables and their names durable, so that an edit may name them. */
  public List<TableMeta> syncFinished() throws IOException {
    if (!finished.isEmpty()) {
      syncTables();
      disk.syncDirectory();
    }
    return finished();
  }

  /** Makes an edit durable. Called by the one thread that writes the series. */
  public interface Edit {
    /**
     * Makes it durable.
     *
     * @throws DiskFullException if there is no room; nothing has happened then
     * @throws OutOfFilesException likewise
     * @throws IllegalArgumentException if it does not fit the version; likewise
     * @throws IOException if it fails; whether it is durable is open then
     */
    void install() throws IOException;
  }

  /**
   * Hands the finished tables to an edit that names them. Unless it certainly has not happened they
   * belong to the version from then on, which may name them even if it failed.
   */
  public void handTo(Edit edit) throws IOException {
    try {
      edit.install();
    } catch (DiskFullException | OutOfFilesException | IllegalArgumentException e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      finished.clear();
      throw e;
    }
    finished.clear();
  }

  /** Removes what was not handed over; of files that cannot be removed the memory is given back. */
  @Override
  public void close() throws IOException {
    // What goes need not be durable, but nobody may be at it.
    syncs.forEach(TableSeries::failure);
    syncs.clear();
    IOException failure = null;
    if (writer != null) {
      try {
        writer.abort();
      } catch (IOException | RuntimeException | Error e) {
        failure = OpenTables.joined(null, e);
      }
      writer = null;
    }
    for (TableMeta table : finished) {
      try {
        tables.retire(table);
      } catch (IOException | RuntimeException | Error e) {
        failure = OpenTables.joined(failure, e);
      }
    }
    finished.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
