// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.ClosedException;
import io.coppice.base.JvmErrors;
import io.coppice.table.TableMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
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
   * there is a task, the task waits instead, and the table stays named. It is its own entry of the
   * list of those that wait.
   */
  private static final class Dropped {
    private final TableMeta table;
    private final Runnable task;
    private final Long birth;
    private final Long death;
    private Dropped next;

    Dropped(TableMeta table, Runnable task, Long birth, Long death) {
      this.table = table;
      this.task = task;
      this.birth = birth;
      this.death = death;
    }
  }

  /** The installation of a Version, or its last release. It is its own entry of the queue. */
  static final class Event {
    private final Long ordinal;
    private final boolean installed;
    private final List<Dropped> dropped;
    private Event next;

    private Event(Long ordinal, boolean installed, List<Dropped> dropped) {
      this.ordinal = ordinal;
      this.installed = installed;
      this.dropped = dropped;
    }

    /** Creates the last release of a Version. */
    static Event release(long ordinal) {
      return new Event(ordinal, false, List.of());
    }
  }

  private volatile Lease current;

  /** Of the tables of the current Version. Written only by the one thread that installs. */
  private volatile long tableBytes;

  private final Consumer<TableMeta> retirement;

  /** What gives out no lease once there is no current Version. */
  private volatile String closedName = "the manifest";

  /** Where each table's stretch begins; used only by the one thread that installs. */
  private final Map<Long, Long> births = new HashMap<>();

  private long lastOrdinal;

  /** Events that no thread works on yet, newest first. */
  private final AtomicReference<Event> pushed = new AtomicReference<>();

  private static final AtomicIntegerFieldUpdater<Leases> WAITING_EVENTS =
      AtomicIntegerFieldUpdater.newUpdater(Leases.class, "waitingEvents");

  /** Positive while a thread works through the queue. A field: after an Error no call may fail. */
  private volatile int waitingEvents;

  /** Used only by the thread that works through the queue. */
  private final TreeSet<Long> held = new TreeSet<>();

  /** The event to take next, followed by later ones. Used by the same thread. */
  private Event oldest;

  /** Tables of the oldest event that wait already. Used by the same thread. */
  private int taken;

  /** The first and last of those that wait. Used by the same thread. */
  private Dropped firstWaiting;

  private Dropped lastWaiting;

  /** True if an Error has stopped the work on the queue since the last {@link #settle}. */
  private volatile boolean stalled;

  private final Runnable onStall;

  /** Of the tables that wait. Written only by the thread that works through the queue. */
  private volatile long waitingBytes;

  /**
   * Starts with a Version.
   *
   * @param retirement is told, once, of each table that nobody names any more; of one again if it
   *     lacked heap or stack
   * @param onStall runs when a lack of heap or stack has stopped retirement; {@link #settle}
   *     continues it
   */
  Leases(Version first, Consumer<TableMeta> retirement, Runnable onStall) {
    this.retirement = retirement;
    this.onStall = onStall;
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
    push(new Event(ordinal, true, stretches));
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

  /** Notes a release. It allocates nothing, because the share is gone already. */
  void released(Event release) {
    push(release);
    workThroughEvents();
  }

  private void push(Event event) {
    Event newest;
    do {
      newest = pushed.get();
      event.next = newest;
    } while (!pushed.compareAndSet(newest, event));
  }

  /** Returns the event to take next, or null. */
  private Event oldest() {
    if (oldest == null) {
      Event newest = pushed.getAndSet(null);
      while (newest != null) {
        Event older = newest.next;
        newest.next = oldest;
        oldest = newest;
        newest = older;
      }
    }
    return oldest;
  }

  /**
   * Continues a retirement that an Error has stopped.
   *
   * @return false if an Error stopped it again
   */
  boolean settle() {
    if (stalled) {
      stalled = false;
      workThroughEvents();
    }
    return !stalled;
  }

  /** Returns true unless {@link #settle} has work. */
  boolean isSettled() {
    return !stalled;
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
    Event release = Event.release(ordinal);
    install(null, ended(List.copyOf(current().tables()), ordinal), ordinal);
    released(release);
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
    if (WAITING_EVENTS.getAndIncrement(this) != 0) {
      return;
    }
    boolean done = false;
    try {
      int seen = 1;
      while (seen != 0) {
        for (Event event = oldest(); event != null; event = oldest()) {
          take(event);
          oldest = event.next;
          taken = 0;
        }
        retireWhatNobodyHolds();
        seen = WAITING_EVENTS.addAndGet(this, -seen);
      }
      done = true;
    } catch (OutOfMemoryError | StackOverflowError e) {
      // It is no failure of the edit or the reader. The next call continues where this one stopped.
    } finally {
      if (!done) {
        waitingEvents = 0;
        stalled = true;
        try {
          onStall.run();
        } catch (RuntimeException | Error e) {
          // The next event continues the retirement.
        }
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
      if (lastWaiting == null) {
        firstWaiting = dropped;
      } else {
        lastWaiting.next = dropped;
      }
      lastWaiting = dropped;
      addWaiting(dropped, 1);
    }
  }

  private void retireWhatNobodyHolds() {
    Dropped before = null;
    for (Dropped dropped = firstWaiting; dropped != null; dropped = dropped.next) {
      Long holder = held.ceiling(dropped.birth);
      if (holder != null && holder < dropped.death) {
        before = dropped;
      } else {
        // The table leaves the list last: after an Error it still waits.
        end(dropped);
        remove(dropped, before);
      }
    }
  }

  private void remove(Dropped dropped, Dropped before) {
    if (before == null) {
      firstWaiting = dropped.next;
    } else {
      before.next = dropped.next;
    }
    if (lastWaiting == dropped) {
      lastWaiting = before;
    }
    addWaiting(dropped, -1);
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
   * Tells the callback. Its failure does not stop other tables from being retired, and is no
   * failure of the reader or the edit in whose thread it runs.
   *
   * @throws OutOfMemoryError or StackOverflowError if the callback lacked heap or stack, and is to
   *     be told again
   */
  private void end(Dropped dropped) {
    try {
      if (dropped.task == null) {
        retirement.accept(dropped.table);
      } else {
        dropped.task.run();
      }
    } catch (RuntimeException | Error e) {
      VirtualMachineError lack = JvmErrors.in(e);
      if (lack != null && dropped.task == null) {
        throw lack;
      }
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }
}
