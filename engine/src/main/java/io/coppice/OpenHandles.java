// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.StackRoom;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The cursors and snapshots of a store that are open. Closing the store closes them, so that no
 * memory they pin is given back under a reader. One that the collector finds unreachable was
 * forgotten: it is released by one thread of the process, and reported. Safe to share between
 * threads.
 *
 * <p>What a handle holds must not reach its owner, or the owner would never be found unreachable.
 */
final class OpenHandles {

  /** What can be forgotten. */
  enum What {
    CURSOR("cursor"),
    SNAPSHOT("snapshot");

    private final String name;

    What(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Told of what was forgotten, by the thread that releases it. */
  interface Report {
    /**
     * A handle was forgotten and is released.
     *
     * @param age since it was opened
     * @param opened where, or null if that was not tracked
     */
    void forgotten(What what, Duration age, @Nullable Throwable opened);
  }

  private static final int SAMPLED = 128;

  private static final Cleaner CLEANER =
      Cleaner.create(
          task -> {
            Thread thread = new Thread(task, "coppice-forgotten-handles");
            thread.setDaemon(true);
            return thread;
          });

  private final LeakTracking tracking;
  private final LongSupplier clock;
  private final Report report;
  private final AtomicLong opened = new AtomicLong();
  private final AtomicLong forgotten = new AtomicLong();

  /** In the order in which they were opened. */
  private final Set<Handle> open;

  /** Guarded by the set. */
  private boolean closing;

  /**
   * None yet.
   *
   * @param clock in nanoseconds
   */
  OpenHandles(LeakTracking tracking, LongSupplier clock, Report report) {
    this(tracking, clock, report, new LinkedHashSet<>());
  }

  /** As above, with this empty set for those that are open. */
  OpenHandles(LeakTracking tracking, LongSupplier clock, Report report, Set<Handle> open) {
    this.tracking = tracking;
    this.clock = clock;
    this.report = report;
    this.open = Collections.synchronizedSet(open);
  }

  /** One open cursor or snapshot. Its monitor is held while what it holds is used. */
  final class Handle {
    private final What what;
    private final Runnable release;
    private final long openedAt;
    private final @Nullable Throwable openedBy;
    private volatile boolean closed;

    /** Guarded by this. */
    private Cleaner.Cleanable cleanable;

    private Handle(What what, Runnable release, long openedAt, @Nullable Throwable openedBy) {
      this.what = what;
      this.release = release;
      this.openedAt = openedAt;
      this.openedBy = openedBy;
    }

    /**
     * Throws if it is closed.
     *
     * @throws ClosedException naming it
     */
    void check() {
      if (closed) {
        throw new ClosedException("the " + what);
      }
    }

    /**
     * Gives back what it holds, once. Waits for a call that holds the monitor.
     *
     * @throws StackOverflowError if the thread has too little stack for that; the handle stays open
     */
    void close() {
      StackRoom.require();
      if (release()) {
        // Only takes it off the cleaner's list, as it is released already.
        cleanable.clean();
      }
    }

    private synchronized boolean release() {
      if (closed) {
        return false;
      }
      closed = true;
      try {
        open.remove(this);
      } finally {
        release.run();
      }
      return true;
    }

    private void forgotten() {
      Duration age = Duration.ofNanos(clock.getAsLong() - openedAt);
      if (release()) {
        forgotten.incrementAndGet();
        report.forgotten(what, age, openedBy);
      }
    }
  }

  /**
   * Adds one.
   *
   * @param owner whose end as a reachable object means that it was forgotten
   * @param release gives back what it holds, called once and under the handle's monitor
   * @throws ClosedException if the store closes; what it holds is still the caller's, as after any
   *     other failure
   */
  Handle add(Object owner, What what, Runnable release) {
    Handle handle = new Handle(what, release, clock.getAsLong(), trace(what));
    boolean added = false;
    synchronized (handle) {
      try {
        synchronized (open) {
          if (closing) {
            throw new ClosedException("the store");
          }
          open.add(handle);
        }
        handle.cleanable = CLEANER.register(owner, handle::forgotten);
        added = true;
      } finally {
        if (!added) {
          // First: the set may keep it after an Error, and the caller releases what it holds.
          handle.closed = true;
          open.remove(handle);
        }
      }
    }
    return handle;
  }

  private @Nullable Throwable trace(What what) {
    boolean tracked =
        tracking == LeakTracking.ALL
            || tracking == LeakTracking.SAMPLED && opened.getAndIncrement() % SAMPLED == 0;
    return tracked ? new Throwable("the " + what + " was opened here") : null;
  }

  int count() {
    return open.size();
  }

  /** How many were forgotten so far. */
  long forgotten() {
    return forgotten.get();
  }

  /** Since when the oldest snapshot is open; zero if none is. */
  Duration oldestSnapshot() {
    synchronized (open) {
      for (Handle handle : open) {
        if (handle.what == What.SNAPSHOT && !handle.closed) {
          return Duration.ofNanos(clock.getAsLong() - handle.openedAt);
        }
      }
    }
    return Duration.ZERO;
  }

  /** Closes all, waiting for calls in progress on each, and takes no more. */
  void closeAll() {
    List<Handle> handles = new ArrayList<>();
    synchronized (open) {
      closing = true;
      // One by one: a StackOverflowError inside add or remove leaves the set with a wrong size.
      for (Handle handle : open) {
        handles.add(handle);
      }
    }
    IllegalStateException failure = null;
    for (Handle handle : handles) {
      try {
        handle.close();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = new IllegalStateException("a cursor or snapshot could not be closed", e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
