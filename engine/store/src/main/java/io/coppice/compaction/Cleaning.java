// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.Workers;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Removes the tables that no version and no lease names any more, and brings filters back into the
 * memory that is free then. Whoever gives back the last lease only puts them in a queue, so no
 * reader and no edit waits for the disk; a merge empties the queue after each of its steps, so that
 * it does not write faster than it makes room. Safe to share between threads.
 */
public final class Cleaning implements AutoCloseable {

  /** Pause before retirement is tried again after a lack of heap. */
  private static final long RETRY_NANOS = 100_000_000;

  private final OpenTables tables;
  private final BooleanSupplier settle;
  private final BiConsumer<TableMeta, IOException> failed;
  private final Queue<TableMeta> retired = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Workers.Worker worker;

  /**
   * Starts the worker.
   *
   * @param settle continues a retirement that was stopped; false if it was stopped again
   * @param failed told of a table that was not removed; the next opening removes it
   */
  public Cleaning(
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

  /** Takes over a table that is to go. Returns at once. */
  public void add(TableMeta table) {
    retired.add(table);
    try {
      worker.wake();
    } catch (StackOverflowError e) {
      // The table is in the queue and must not be added again. A merge or the next table wakes it.
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

  /** Says that memory of filters was given back. Returns at once. */
  public void wake() {
    worker.wake();
  }

  /** Returns when all that was added before is removed. */
  public void clean() {
    boolean more = true;
    while (more) {
      more = removeOne();
    }
  }

  /** The lock makes others wait for a removal under way. */
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

  /** Removes what is left and ends. What is added from now on is left to the next opening. */
  @Override
  public void close() {
    worker.close();
    clean();
  }
}
