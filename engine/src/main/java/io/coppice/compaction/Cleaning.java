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

/**
 * Removes the tables that no version and no lease names any more, and brings filters back into the
 * memory that is free then. Whoever gives back the last lease only puts them in a queue, so no
 * reader and no edit waits for the disk; a merge empties the queue after each of its steps, so that
 * it does not write faster than it makes room. Safe to share between threads.
 */
public final class Cleaning implements AutoCloseable {

  private final OpenTables tables;
  private final BiConsumer<TableMeta, IOException> failed;
  private final Queue<TableMeta> retired = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Workers.Worker worker;

  /**
   * Starts the worker.
   *
   * @param failed told of a table that was not removed; the next opening removes it
   */
  public Cleaning(
      OpenTables tables, Workers workers, String name, BiConsumer<TableMeta, IOException> failed) {
    this.tables = tables;
    this.failed = failed;
    worker = workers.start(name, this::step);
  }

  /** Takes over a table that is to go. Returns at once. */
  public void add(TableMeta table) {
    retired.add(table);
    worker.wake();
  }

  private long step() {
    removeOne();
    if (!retired.isEmpty()) {
      return 0;
    }
    tables.settleFilters();
    return Workers.UNTIL_WOKEN;
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
