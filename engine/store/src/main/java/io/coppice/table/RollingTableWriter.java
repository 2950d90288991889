// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import io.coppice.entry.EntryCompactor;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.io.Disk;
import io.coppice.table.filter.FilterAllocation;
import io.coppice.table.filter.FilterGeometry;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Writer of one sorted stream of entries as a <em>series</em> of tables of limited size. The caller
 * decides where a cut is allowed, which is only between user keys. {@link #close} removes tables
 * that were not handed over to an edit. Not safe to share between threads.
 */
public final class RollingTableWriter implements EntryCompactor.Output, Closeable {

  private final Disk disk;
  private final OpenTables tables;
  private final LongSupplier numbers;
  private final long tableBytes;

  /**
   * Maximum number of unfinished syncs: one runs while another waits, so the sync thread never
   * idles.
   */
  private static final int MAX_SYNCS = 2;

  private final List<TableMeta> finished = new ArrayList<>();

  /** Syncs of tables that may not be durable yet, oldest first. */
  private final Queue<FutureTask<Void>> syncs = new ArrayDeque<>(MAX_SYNCS + 1);

  private int family;
  private int level;

  /** Average fingerprint bits of the tables; negative for the default. */
  private double filterBits = -1;

  /**
   * Filter bits that earlier tables lack against the average, as a fraction of the step to the
   * larger size. At 1 a table gets the larger size. Starts at a half, so that sizes are rounded.
   */
  private double filterBitsShortfall = 0.5;

  private final TableWriter.Buffers buffers = new TableWriter.Buffers();
  private TableWriter writer;
  private long entries;

  /** Bytes of all finished tables, including those handed over. */
  private long cutBytes;

  /**
   * Creates a writer without tables.
   *
   * @param numbers returns file numbers, each once
   * @param tableBytes size in bytes on disk of a full table; a table is also full with as many
   *     entries as a filter may have keys
   */
  public RollingTableWriter(Disk disk, OpenTables tables, LongSupplier numbers, long tableBytes) {
    this.disk = disk;
    this.tables = tables;
    this.numbers = numbers;
    this.tableBytes = tableBytes;
  }

  /** Sets the number of the tables' family; 0 by default. */
  public RollingTableWriter forFamily(int number) {
    family = number;
    return this;
  }

  /** Sets the level of the tables, which selects their codec; 0 by default. */
  public RollingTableWriter forLevel(int target) {
    level = target;
    return this;
  }

  /**
   * Sets the size of the run that the following tables belong to. Without this call they get
   * filters of the default size.
   *
   * @param own entries of the new run
   * @param others entries of each other run of the family, in any order
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
  public void add(byte[] key, int keyLength, long sequence, EntryKind kind, byte[] value)
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
    filterBitsShortfall += FilterAllocation.share(filterBits);
    if (filterBitsShortfall < 1) {
      return bits;
    }
    filterBitsShortfall--;
    return FilterAllocation.next(bits);
  }

  /**
   * Returns whether there is a current table and it has its full size, so that the caller should
   * cut before the next user key.
   */
  public boolean full() throws IOException {
    return writer != null
        && (writer.full(tableBytes) || writer.entries() >= FilterGeometry.MAX_KEYS);
  }

  /**
   * Finishes the current table, if there is one. It can be read at once, but is durable only after
   * {@link #syncTables}; the sync thread starts in the background. Waits until at most two tables
   * lack their sync.
   *
   * @throws IOException if this table or an earlier one fails; {@link #close} removes all that were
   *     not handed over
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
      syncUpTo(MAX_SYNCS);
    }
  }

  /** Returns the bytes on disk of all tables, those handed over and the current one included. */
  public long bytes() {
    return cutBytes + (writer == null ? 0 : writer.bytes());
  }

  /** Returns the number of entries added to all tables, without range deletions. */
  public long entries() {
    return entries;
  }

  /** Returns the tables that are finished and not handed over, by ascending key. */
  public List<TableMeta> finished() {
    return List.copyOf(finished);
  }

  /**
   * Makes the finished tables durable, but not their names, and waits for that.
   *
   * @throws IOException if a sync fails; none of the tables may be handed over
   */
  public void syncTables() throws IOException {
    syncUpTo(0);
  }

  /** Waits until at most {@code left} syncs remain. This thread runs those that have not begun. */
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

  /** Returns the failure of a sync; null if it succeeded. */
  private static Throwable failure(FutureTask<Void> sync) {
    sync.run();
    try {
      Uninterruptibles.getUninterruptibly(sync);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /**
   * Makes the finished tables and their names durable, so that an edit may name them. Waits for
   * that. Returns them by ascending key.
   */
  public List<TableMeta> syncFinished() throws IOException {
    if (!finished.isEmpty()) {
      syncTables();
      disk.syncDirectory();
    }
    return finished();
  }

  /**
   * Edit of the manifest that names finished tables. Called by one thread, the one that writes
   * them.
   */
  public interface Edit {
    /**
     * Makes the edit durable.
     *
     * @throws IOException if it fails; the edit may or may not be durable
     */
    void install() throws IOException;
  }

  /**
   * Hands the finished tables over to an edit that names them. After a failure they stay here only
   * if the edit certainly has not happened. Otherwise a version may name them.
   *
   * @param mayName tells after a failure whether a version names a table, now or after the next
   *     opening
   */
  public void handTo(Edit edit, Predicate<TableMeta> mayName) throws IOException {
    handTo(List.of(this), edit, mayName);
  }

  /**
   * Hands the finished tables of several writers over to one edit, as {@link #handTo(Edit,
   * Predicate)} does.
   */
  public static void handTo(
      List<RollingTableWriter> writers, Edit edit, Predicate<TableMeta> mayName)
      throws IOException {
    boolean installed = false;
    try {
      edit.install();
      installed = true;
    } finally {
      // Loops by index, which needs no heap: close must not delete tables that a version names.
      for (int i = 0; i < writers.size(); i++) {
        List<TableMeta> tables = writers.get(i).finished;
        boolean named = installed;
        if (!named) {
          try {
            named = tables.stream().anyMatch(mayName);
          } catch (RuntimeException | Error e) {
            // Unknown, so a version may name them.
            named = true;
          }
        }
        if (named) {
          tables.clear();
        }
      }
    }
  }

  /**
   * Removes the tables that were not handed over. Waits for their syncs. It frees their memory even
   * if a file cannot be removed; the first failure is thrown at the end.
   */
  @Override
  public void close() throws IOException {
    // These tables need not be durable, but no sync may still use them.
    syncs.forEach(RollingTableWriter::failure);
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
