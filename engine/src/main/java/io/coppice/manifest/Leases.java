// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.ClosedException;
import io.coppice.table.TableMeta;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Which Versions are held, and which tables wait for a Version to be released. Readers take and
 * give back leases by compare-and-set only.
 *
 * <ol>
 *   <li>Versions are numbered as they are installed. A table is named by all Versions from the one
 *       that added it up to, and without, the one that dropped it.
 *   <li>Installations and last releases are put into a queue. Whoever puts in the first while
 *       nobody works through the queue does so; others leave at once.
 *   <li>A dropped table is retired when no Version of its stretch is held.
 * </ol>
 */
final class Leases {

  /**
   * A table that no new Version names: named from {@code birth} up to before {@code death}. If
   * there is a task it is what waits, and the table goes on being named.
   */
  private record Dropped(TableMeta table, Runnable task, long birth, long death) {}

  /** Something happened to the Version with this ordinal. */
  private record Event(long ordinal, boolean installed, List<Dropped> dropped) {}

  private volatile Lease current;

  /** Of the tables of the current Version. Written only by the one thread that installs. */
  private volatile long tableBytes;

  private final Consumer<TableMeta> retirement;

  /** What gives out no lease once there is no current Version. */
  private volatile String closedName = "the manifest";

  /** Where each table's stretch begins; used only by the one thread that installs. */
  private final Map<Long, Long> births = new HashMap<>();

  private long lastOrdinal;

  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingEvents = new AtomicInteger();

  /** Used only by the thread that works through the queue. */
  private final TreeSet<Long> held = new TreeSet<>();

  private final ArrayDeque<Dropped> waiting = new ArrayDeque<>();

  /** Tables of the oldest event that wait already. Used by the same thread. */
  private int taken;

  /** Of the tables that wait. Written only by the thread that works through the queue. */
  private volatile long waitingBytes;

  /**
   * Starts with a Version.
   *
   * @param retirement is told, once, of each table that nobody names any more
   */
  Leases(Version first, Consumer<TableMeta> retirement) {
    this.retirement = retirement;
    held.add(lastOrdinal);
    for (TableMeta table : first.tables()) {
      births.put(table.number(), lastOrdinal);
    }
    tableBytes = first.tableBytes();
    current = new Lease(first, lastOrdinal, this);
  }

  Version current() {
    return checkOpen(current).version();
  }

  private Lease checkOpen(Lease present) {
    if (present == null) {
      throw new ClosedException(closedName);
    }
    return present;
  }

  Lease lease() {
    while (true) {
      Lease present = checkOpen(current);
      // The last share can only be gone if another Version has become current meanwhile.
      if (present.tryRetain()) {
        return present;
      }
      Thread.onSpinWait();
    }
  }

  /** Makes a Version the current one; called by one thread at a time. */
  void install(Version version, List<TableMeta> added, List<TableMeta> dropped) {
    long ordinal = ++lastOrdinal;
    long bytes = tableBytes;
    for (TableMeta table : added) {
      births.put(table.number(), ordinal);
      bytes += table.bytes();
    }
    for (TableMeta table : dropped) {
      bytes -= table.bytes();
    }
    tableBytes = bytes;
    install(new Lease(version, ordinal, this), ended(dropped, ordinal), ordinal);
  }

  /** Bytes of the tables of the current Version, each counted once. */
  long tableBytes() {
    return tableBytes;
  }

  private List<Dropped> ended(List<TableMeta> tables, long ordinal) {
    List<Dropped> stretches = new ArrayList<>(tables.size());
    for (TableMeta table : tables) {
      stretches.add(new Dropped(table, null, births.remove(table.number()), ordinal));
    }
    return stretches;
  }

  /** If there is no next one, nothing is leased from then on. */
  private void install(Lease next, List<Dropped> stretches, long ordinal) {
    Lease old = current;
    events.add(new Event(ordinal, true, stretches));
    current = next;
    workThroughEvents();
    old.close();
  }

  /**
   * Runs a task once every lease is given back by which a table can be found now. It runs as the
   * retirement does. Called by one thread at a time, as installing is.
   *
   * @return false if the current Version does not name the table; the task is not run then
   */
  boolean afterPresent(TableMeta table, Runnable task) {
    Long birth = births.get(table.number());
    Lease last = current;
    if (birth == null || last == null) {
      return false;
    }
    long ordinal = ++lastOrdinal;
    install(
        new Lease(last.version(), ordinal, this),
        List.of(new Dropped(table, task, birth, ordinal)),
        ordinal);
    return true;
  }

  void released(long ordinal) {
    events.add(new Event(ordinal, false, List.of()));
    workThroughEvents();
  }

  /**
   * Ends the line: no table is named any more, and no lease is given out. Called by one thread at a
   * time.
   *
   * @param name what is closed, for messages
   */
  void drop(String name) {
    closedName = name;
    long ordinal = ++lastOrdinal;
    // Not by way of a Version without tables: who leased that would take all keys for absent.
    install(null, ended(List.copyOf(current().tables()), ordinal), ordinal);
    released(ordinal);
  }

  /** Gives out no lease any more; what waits goes on waiting for those that are held. */
  void close() {
    Lease last = current;
    current = null;
    if (last != null) {
      last.close();
    }
  }

  private void workThroughEvents() {
    if (waitingEvents.getAndIncrement() != 0) {
      return;
    }
    boolean done = false;
    try {
      int seen = 1;
      while (seen != 0) {
        for (Event event = events.peek(); event != null; event = events.peek()) {
          take(event);
          events.poll();
          taken = 0;
        }
        retireWhatNobodyHolds();
        seen = waitingEvents.addAndGet(-seen);
      }
      done = true;
    } catch (OutOfMemoryError | StackOverflowError e) {
      // It is no failure of the edit or the reader. The next event goes on where this one stopped.
    } finally {
      if (!done) {
        waitingEvents.set(0);
      }
    }
  }

  /** Takes the oldest event; after an Error the call is repeated, and goes on where it was. */
  private void take(Event event) {
    if (!event.installed) {
      held.remove(event.ordinal);
      return;
    }
    held.add(event.ordinal);
    for (; taken < event.dropped.size(); taken++) {
      Dropped dropped = event.dropped.get(taken);
      waiting.add(dropped);
      addWaiting(dropped, 1);
    }
  }

  private void retireWhatNobodyHolds() {
    for (int i = waiting.size(); i > 0; i--) {
      Dropped dropped = waiting.peek();
      Long holder = held.ceiling(dropped.birth);
      waiting.poll();
      if (holder != null && holder < dropped.death) {
        waiting.add(dropped);
      } else {
        addWaiting(dropped, -1);
        end(dropped);
      }
    }
  }

  private void addWaiting(Dropped dropped, int sign) {
    if (dropped.task == null) {
      waitingBytes = waitingBytes + sign * dropped.table.bytes();
    }
  }

  /** Bytes of tables that the current Version does not name, but one that is held does. */
  long waitingBytes() {
    return waitingBytes;
  }

  /**
   * What the callback throws is not the fault of the reader or the edit in whose thread it runs,
   * and must not stop other tables from being retired.
   */
  private void end(Dropped dropped) {
    try {
      if (dropped.task == null) {
        retirement.accept(dropped.table);
      } else {
        dropped.task.run();
      }
    } catch (RuntimeException | Error e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }
}
