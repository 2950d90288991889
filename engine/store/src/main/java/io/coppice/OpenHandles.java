// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.ClosedException;
import io.coppice.base.thread.StackRoom;
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
 * Open cursors and snapshots of a store. Closing the store closes them, so that no memory they pin
 * is released under a reader. If the garbage collector finds one unreachable, it was forgotten: a
 * thread shared by the process releases and reports it. Safe to share between threads.
 *
 * <p>The resources of a handle must not reference its owner, which would otherwise stay reachable.
 */
final class OpenHandles {

  /** Kind of an open handle. */
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

  /** Listener for forgotten handles, called by the thread that releases them. */
  interface Report {
    /**
     * Reports a forgotten handle, which is released already.
     *
     * @param age since it was opened
     * @param opened the place of opening, or null if it was not recorded
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

  /** Open handles in order of opening. */
  private final Set<Handle> open;

  /** Whether the store is closing. */
  @GuardedBy("open")
  private boolean closing;

  /**
   * Creates a set without handles.
   *
   * @param clock in nanoseconds
   */
  OpenHandles(LeakTracking tracking, LongSupplier clock, Report report) {
    this(tracking, clock, report, new LinkedHashSet<>());
  }

  /** Creates an empty set on the given empty collection. */
  OpenHandles(LeakTracking tracking, LongSupplier clock, Report report, Set<Handle> open) {
    this.tracking = tracking;
    this.clock = clock;
    this.report = report;
    this.open = Collections.synchronizedSet(open);
  }

  /** One open cursor or snapshot. Its monitor is held while its resources are used. */
  final class Handle {
    private final What what;
    private final Runnable release;
    private final long openedAt;
    private final @Nullable Throwable openedBy;
    private volatile boolean closed;

    /**
     * Registration with the cleaner of the JVM. Set under the monitor, which {@link #release} takes
     * before the field is read.
     */
    private Cleaner.Cleanable cleanable;

    private Handle(What what, Runnable release, long openedAt, @Nullable Throwable openedBy) {
      this.what = what;
      this.release = release;
      this.openedAt = openedAt;
      this.openedBy = openedBy;
    }

    /**
     * Checks that the handle is open.
     *
     * @throws ClosedException if it is closed; the message names its kind
     */
    void check() {
      if (closed) {
        throw new ClosedException("the " + what);
      }
    }

    /**
     * Releases the resources once. Waits for a call that holds the monitor.
     *
     * @throws StackOverflowError if the thread has too little stack for it; the handle stays open
     */
    void close() {
      StackRoom.require();
      if (release()) {
        // Only removes the handle from the cleaner's list: its resources are released already.
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
   * Adds an open handle.
   *
   * @param owner object whose unreachability means that the handle was forgotten
   * @param release releases the resources; called once, under the handle's monitor
   * @throws ClosedException if the store is closing; the resources stay the caller's, as after any
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
          // First of all: after an Error the set may keep the handle, and the caller releases the
          // resources.
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

  /** Returns the number of handles ever forgotten. */
  long forgotten() {
    return forgotten.get();
  }

  /** Returns the age of the oldest open snapshot, or zero if there is none. */
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

  /**
   * Closes all handles, waiting for calls in progress on each, and accepts no more.
   *
   * @throws IllegalStateException if a handle could not be closed; all others are closed
   */
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
