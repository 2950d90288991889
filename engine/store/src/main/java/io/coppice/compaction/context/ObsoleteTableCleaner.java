// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.context;

import io.coppice.base.thread.StackCheckedLock;
import io.coppice.base.thread.Workers;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Worker that deletes obsolete tables: those outside every version and every lease. It also reloads
 * filters into the memory that deletions free. The release of the last lease only adds the table to
 * a queue, so readers and edits do not wait for the disk. A merge empties the queue after each of
 * its steps, so that it frees space as fast as it writes. Safe to share between threads.
 */
public final class ObsoleteTableCleaner implements AutoCloseable {

  /** Pause in nanoseconds before the retry of a deletion that lacked heap. */
  private static final long RETRY_NANOS = 100_000_000;

  private final OpenTables tables;
  private final BooleanSupplier settle;
  private final BiConsumer<TableMeta, IOException> failed;
  private final Queue<TableMeta> retired = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new StackCheckedLock();
  private final Workers.Worker worker;

  /**
   * Creates the cleaner and starts its worker.
   *
   * @param name name of the worker's thread
   * @param settle continues a retirement of tables that a lack of heap or stack has stopped;
   *     returns whether it is complete
   * @param failed receives each table whose deletion failed, in the deleting thread; the next
   *     opening deletes it
   */
  public ObsoleteTableCleaner(
      OpenTables tables,
      Workers workers,
      String name,
      BooleanSupplier settle,
      BiConsumer<TableMeta, IOException> failed) {
    this.tables = tables;
    this.settle = settle;
    this.failed = failed;
    worker = workers.start(name, this::step);
  }

  /** Adds an obsolete table to the queue and returns at once. */
  public void add(TableMeta table) {
    retired.add(table);
    try {
      worker.wake();
    } catch (StackOverflowError e) {
      // The table is queued; the caller must not add it again. A merge or the next table wakes the
      // worker.
    }
  }

  private long step() {
    boolean settled = settle.getAsBoolean();
    removeOne();
    if (!retired.isEmpty()) {
      return 0;
    }
    tables.settleFilters();
    return settled ? Workers.UNTIL_WOKEN : RETRY_NANOS;
  }

  /** Wakes the worker, because filters released memory that others can use. Returns at once. */
  public void wake() {
    worker.wake();
  }

  /** Deletes all tables in the queue in the calling thread, then returns. */
  public void clean() {
    boolean more = true;
    while (more) {
      more = removeOne();
    }
  }

  /**
   * Deletes the next table of the queue, under the lock, so that callers wait for a deletion in
   * progress. Returns false if the queue is empty.
   */
  private boolean removeOne() {
    lock.lock();
    try {
      TableMeta table = retired.poll();
      if (table == null) {
        return false;
      }
      try {
        tables.retire(table);
      } catch (IOException e) {
        failed.accept(table, e);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Deletes the queued tables and ends the worker. The next opening deletes tables that are added
   * later.
   */
  @Override
  public void close() {
    worker.close();
    clean();
  }
}
