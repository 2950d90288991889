// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Opener of all tables of a store: one thread or, if there are many tables, up to four. */
final class ManyTables {

  /** Number of tables that justify one more thread. */
  static final int TABLES_PER_THREAD = 256;

  private static final int MAX_THREADS = 4;

  /**
   * Number of consecutive tables that a thread takes at once, because their filters are adjacent in
   * the file.
   */
  private static final int TABLES_AT_ONCE = 16;

  /** Action on one table. */
  interface Action {
    void open(TableMeta table) throws IOException;
  }

  private final List<TableMeta> tables;
  private final Action action;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private ManyTables(List<TableMeta> tables, Action action) {
    this.tables = tables;
    this.action = action;
  }

  /**
   * Runs the action on each table, approximately in the list's order, by several threads at once if
   * there are many. Returns after all threads have ended. The first failure is thrown; after it no
   * thread begins another sixteen tables.
   */
  static void each(List<TableMeta> tables, Action action) throws IOException {
    int processors = Runtime.getRuntime().availableProcessors();
    int others = Math.min(Math.min(processors, MAX_THREADS), tables.size() / TABLES_PER_THREAD) - 1;
    new ManyTables(tables, action).run(others);
  }

  private void run(int others) throws IOException {
    List<Thread> threads = new ArrayList<>();
    try {
      for (int i = 0; i < others; i++) {
        Thread thread = new Thread(this::work, "coppice-open-" + i);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
      }
      work();
    } finally {
      threads.forEach(Uninterruptibles::joinUninterruptibly);
    }
    Throwable problem = failure.get();
    if (problem != null) {
      Throwables.throwIfInstanceOf(problem, IOException.class);
      Throwables.throwIfUnchecked(problem);
    }
  }

  private void work() {
    try {
      int from;
      while (failure.get() == null && (from = next.getAndAdd(TABLES_AT_ONCE)) < tables.size()) {
        for (int i = from; i < Math.min(tables.size(), from + TABLES_AT_ONCE); i++) {
          action.open(tables.get(i));
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }
}
