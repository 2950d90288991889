// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.ClosedException;
import io.coppice.base.JvmErrors;
import io.coppice.table.TableMeta;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Leases of one family's versions, and the tables that wait for a version's release. Readers take
 * and release leases by compare-and-set only.
 *
 * <ol>
 *   <li>Versions are numbered in order of installation. A table's lifetime is the range of versions
 *       that name it: from the one that added it, inclusive, to the one that dropped it, exclusive.
 *   <li>Installations and last releases enter a queue. The thread that adds an event to an idle
 *       queue processes all events; other threads return at once.
 *   <li>A dropped table becomes obsolete when readers hold no version of its lifetime.
 * </ol>
 */
final class Leases {

  /**
   * A table that no new version names: its lifetime is from {@code birth} to before {@code death}.
   * An entry with a task runs the task instead, and its table stays. The object is its own node in
   * the list of waiting entries.
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

  /** Installation of a version, or its last release. The object is its own node in the queue. */
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

    /** Creates the event for the last release of a version. */
    static Event release(long ordinal) {
      return new Event(ordinal, false, List.of());
    }
  }

  private volatile Lease current;

  /** Bytes of the current version's tables. Only the installing thread writes it. */
  private volatile long tableBytes;

  private final Consumer<TableMeta> retirement;

  /** Name for the error of a lease call without a current version. */
  private volatile String closedName = "the manifest";

  /** First version of each table; used only by the installing thread. */
  private final Map<Long, Long> firstOrdinals = new HashMap<>();

  private long lastOrdinal;

  /** Events that no thread processes yet, newest first. */
  private final AtomicReference<Event> pushed = new AtomicReference<>();

  private static final AtomicIntegerFieldUpdater<Leases> WAITING_EVENTS =
      AtomicIntegerFieldUpdater.newUpdater(Leases.class, "waitingEvents");

  /**
   * Positive while a thread processes the queue. A plain field instead of an atomic object, because
   * after an Error no call on it may fail.
   */
  private volatile int waitingEvents;

  /** Held versions by number; used only by the thread that processes the queue. */
  private final TreeSet<Long> held = new TreeSet<>();

  /** Event to process next, followed by later ones. Used by the thread that processes the queue. */
  private Event oldest;

  /**
   * Number of dropped tables of {@link #oldest} that are already in the list from {@link
   * #firstWaiting}. Only the thread that works through the queue uses it.
   */
  private int taken;

  /**
   * First of the waiting entries. Used, like the last one, by the thread that processes the queue.
   */
  private Dropped firstWaiting;

  private Dropped lastWaiting;

  /** Whether an Error has stopped the processing since the last {@link #settle}. */
  private volatile boolean stalled;

  private final Runnable onStall;

  /** Bytes of the waiting tables. Only the thread that processes the queue writes it. */
  private volatile long waitingBytes;

  /**
   * Creates the leases with a first version.
   *
   * @param retirement receives each obsolete table once, or again if the call lacked heap or stack;
   *     runs in the thread that releases a lease or installs a version
   * @param onStall runs when a lack of heap or stack has stopped retirement; {@link #settle}
   *     continues it
   */
  Leases(Version first, Consumer<TableMeta> retirement, Runnable onStall) {
    this.retirement = retirement;
    this.onStall = onStall;
    held.add(lastOrdinal);
    for (TableMeta table : first.tables()) {
      firstOrdinals.put(table.number(), lastOrdinal);
    }
    tableBytes = first.tableBytes();
    current = new Lease(first, lastOrdinal, this);
  }

  /**
   * Returns the current version without a lease.
   *
   * @throws ClosedException if the family was dropped or the manifest is closed
   */
  Version current() {
    return checkOpen(current).version();
  }

  private Lease checkOpen(Lease present) {
    if (present == null) {
      throw new ClosedException(closedName);
    }
    return present;
  }

  /**
   * Takes a lease on the current version, which the caller closes. Takes no lock.
   *
   * @throws ClosedException if the family was dropped or the manifest is closed
   */
  Lease lease() {
    while (true) {
      Lease present = checkOpen(current);
      // The last share can only be released once another version is current.
      if (present.tryRetain()) {
        return present;
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Makes a version the current one. One thread at a time calls it.
   *
   * @param added tables that the version names and its predecessor lacks
   * @param dropped tables of the predecessor that the version lacks
   */
  void install(Version version, List<TableMeta> added, List<TableMeta> dropped) {
    long ordinal = ++lastOrdinal;
    long bytes = tableBytes;
    for (TableMeta table : added) {
      firstOrdinals.put(table.number(), ordinal);
      bytes += table.bytes();
    }
    for (TableMeta table : dropped) {
      bytes -= table.bytes();
    }
    tableBytes = bytes;
    install(new Lease(version, ordinal, this), ended(dropped, ordinal), ordinal);
  }

  /** Returns the bytes of the current version's tables, each counted once. */
  long tableBytes() {
    return tableBytes;
  }

  private List<Dropped> ended(List<TableMeta> tables, long ordinal) {
    List<Dropped> stretches = new ArrayList<>(tables.size());
    for (TableMeta table : tables) {
      stretches.add(new Dropped(table, null, firstOrdinals.remove(table.number()), ordinal));
    }
    return stretches;
  }

  /** Makes a lease the current one. If it is null, all later lease calls fail. */
  private void install(Lease next, List<Dropped> stretches, long ordinal) {
    Lease old = current;
    push(new Event(ordinal, true, stretches));
    current = next;
    workThroughEvents();
    old.close();
  }

  /**
   * Runs a task once every lease that can find a table now is released. The task runs in the same
   * threads as the retirement. One thread at a time calls this method or installs.
   *
   * @return false if the current version lacks the table; the task then does not run
   */
  boolean afterPresent(TableMeta table, Runnable task) {
    Long birth = firstOrdinals.get(table.number());
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

  /**
   * Records the last release of a version. It must allocate nothing, because the share is already
   * released.
   */
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

  /** Returns the event to process next and keeps it in the queue; null if there is none. */
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
   * @return whether none waits for another call; false if an Error stopped it again
   */
  boolean settle() {
    if (stalled) {
      stalled = false;
      workThroughEvents();
    }
    return !stalled;
  }

  /** Returns whether {@link #settle} has nothing to do. */
  boolean isSettled() {
    return !stalled;
  }

  /**
   * Drops the family: all its tables become unnamed, and later lease calls fail. One thread at a
   * time calls it.
   *
   * @param name name of the closed object, for messages
   */
  void drop(String name) {
    closedName = name;
    long ordinal = ++lastOrdinal;
    // A Version without tables would not do: a reader that leased it would find all keys absent.
    Event release = Event.release(ordinal);
    install(null, ended(List.copyOf(current().tables()), ordinal), ordinal);
    released(release);
  }

  /** Refuses all later lease calls. Waiting tables still wait for the leases that are held. */
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
      // This is no failure of the edit or the reader. The next call continues where this one
      // stopped.
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

  /**
   * Processes the oldest event. After an Error it is called again and continues where it stopped.
   */
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
        // The entry leaves the list last, so that after an Error it still waits.
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

  /** Returns the bytes of tables that a held version names but the current one lacks. */
  long waitingBytes() {
    return waitingBytes;
  }

  /**
   * Calls the retirement or the task of an entry. After a failure of that callback, the retirement
   * of other tables continues, and the calling reader or edit succeeds.
   *
   * @throws OutOfMemoryError or StackOverflowError if the callback lacked heap or stack and must be
   *     called again
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
