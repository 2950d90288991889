// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.ClosedException;
import io.coppice.base.DiskFullException;
import io.coppice.base.JvmErrors;
import io.coppice.base.StalledException;
import io.coppice.base.thread.Workers;
import io.coppice.io.FileKind;
import io.coppice.io.TooManyOpenFilesException;
import io.coppice.version.EditOp;
import io.coppice.version.VersionEdit;
import io.coppice.wal.WalWriter;
import io.coppice.write.family.ActiveMemtables;
import io.coppice.write.family.FamilyWriteState;
import io.coppice.write.family.FlushOutputs;
import io.coppice.write.family.RecoveredLog;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Queue of sealed memtables and the worker that flushes them, oldest first. The memtables of one
 * log are flushed together: one edit installs their tables; then the log is deleted. Safe to share
 * between threads.
 *
 * <p>A flush that lacks disk space, file descriptors or heap is repeated after growing pauses, and
 * at once when a writer waits for it. After any other failure the store is read-only, and the logs
 * of the remaining memtables stay.
 */
final class Flusher implements AutoCloseable {

  /**
   * Number of logs with sealed memtables that makes writers wait. The memory that a store requires
   * fits one active and two full sealed memtables.
   */
  static final int MAX_SEALED = 2;

  /**
   * Pause in nanoseconds after the first flush that lacks a resource; it doubles up to {@link
   * #MAX_PAUSE_NANOS}.
   */
  private static final long FIRST_PAUSE_NANOS = 100_000_000L;

  private static final long MAX_PAUSE_NANOS = 10_000_000_000L;

  /**
   * Sealed memtables of one log, that log, and the first log that is still needed after their
   * flush.
   */
  private record SealedLot(
      List<ActiveMemtables.SealedMemtable> memtables,
      String log,
      Closeable writer,
      EditOp.WalFloor floor,
      long lastSequence,
      boolean unlogged) {
    long unloggedBytes() {
      return !unlogged ? 0 : memtables.stream().mapToLong(one -> one.memtable().usedBytes()).sum();
    }

    void release() {
      memtables.forEach(one -> one.memtable().release());
    }
  }

  private final WriteContext context;
  private final WriteGate gate;
  private final Workers.Worker worker;

  /**
   * Held while a flush or a drop is installed, so that no flush adds tables to a dropped family.
   */
  private final ReentrantLock installing = new ReentrantLock();

  /**
   * Names of logs to delete, oldest first; more than one only after a failed deletion. Used by the
   * worker.
   */
  private final Deque<String> obsoleteLogs = new LinkedList<>();

  /**
   * Whether the tables of the oldest log are installed and only its memtables remain. Used by the
   * worker.
   */
  private boolean installed;

  /** Number of memtables of the oldest log already removed. Used by the worker. */
  private int releasedMemtables;

  // Written under the gate's lock.
  private volatile long sealedCount;
  private volatile long flushedCount;

  @GuardedBy("gate.lock")
  private final Deque<SealedLot> sealed = new LinkedList<>();

  /**
   * Resource that the last flush attempt lacked, as an exception; null if it succeeded or there was
   * none.
   */
  @GuardedBy("gate.lock")
  private RuntimeException lack;

  /** Number of finished flush attempts, failed ones included. */
  @GuardedBy("gate.lock")
  private long attempts;

  @GuardedBy("gate.lock")
  private boolean flushing;

  @GuardedBy("gate.lock")
  private boolean wanted;

  @GuardedBy("gate.lock")
  private boolean ended;

  /** Pause in nanoseconds after a flush that lacked a resource; 0 after a success. */
  @GuardedBy("gate.lock")
  private long pauseNanos;

  /** Time when the pause began, in nanoseconds. */
  @GuardedBy("gate.lock")
  private long pauseStart;

  /**
   * Starts the flush worker.
   *
   * @param families all living families; none has a memtable yet
   * @param recovered logs still to flush, oldest first; this object owns them
   * @param walNumber number of the first log after the recovered ones
   */
  Flusher(
      WriteContext context,
      WriteGate gate,
      Collection<FamilyWriteState> families,
      List<RecoveredLog> recovered,
      long walNumber) {
    this.context = context;
    this.gate = gate;
    Map<Integer, FamilyWriteState> byNumber = new HashMap<>();
    families.forEach(family -> byNumber.put(family.number(), family));
    for (int i = 0; i < recovered.size(); i++) {
      long next = i + 1 < recovered.size() ? recovered.get(i + 1).number() : walNumber;
      sealed.add(sealed(recovered.get(i), new EditOp.WalFloor(next, true), byNumber));
      sealedCount++;
    }
    worker = context.workers().start(context.name() + "-flush", this::step);
  }

  private static SealedLot sealed(
      RecoveredLog log, EditOp.WalFloor floor, Map<Integer, FamilyWriteState> families) {
    List<ActiveMemtables.SealedMemtable> memtables = new ArrayList<>();
    log.memtables()
        .forEach(
            (number, memtable) -> {
              FamilyWriteState family = families.get(number);
              family.memtables().activate(memtable);
              memtables.add(new ActiveMemtables.SealedMemtable(family, family.memtables().seal()));
            });
    String name = FileKind.WAL.fileName(log.number());
    return new SealedLot(memtables, name, () -> {}, floor, log.lastSequence(), false);
  }

  /**
   * Adds the sealed memtables of a log.
   *
   * @param memtables this object owns one reference to each
   * @param log their log, synced; closed and deleted once they are in tables
   * @param floor number of the first log that is needed after the flush, and whether it exists yet
   * @param lastSequence the last sequence number in the memtables
   * @param unlogged whether some of their entries are in no log
   */
  void add(
      List<ActiveMemtables.SealedMemtable> memtables,
      WalWriter log,
      EditOp.WalFloor floor,
      long lastSequence,
      boolean unlogged) {
    gate.lock.lock();
    try {
      sealed.add(new SealedLot(memtables, log.name(), log, floor, lastSequence, unlogged));
      sealedCount++;
    } finally {
      gate.lock.unlock();
    }
    worker.wake();
  }

  /**
   * Returns the number of logs whose sealed memtables are not yet in tables. Only the thread that
   * seals memtables can make it rise.
   */
  int waiting() {
    return (int) (sealedCount - flushedCount);
  }

  /**
   * Waits until the memtables of at most {@code left} of the logs sealed before this call are not
   * in tables.
   *
   * @throws io.coppice.base.ReadOnlyException if the store is read-only, for example because a
   *     flush failed
   * @throws ClosedException if the flusher was closed during the wait
   * @throws DiskFullException if an attempt begun during the wait found no disk space
   * @throws UncheckedIOException if an attempt begun during the wait found no file descriptor
   * @throws StalledException if an attempt begun during the wait found no heap
   * @throws InterruptedException if the thread is interrupted; the flushes continue
   */
  void await(int left) throws InterruptedException {
    gate.lock.lock();
    try {
      long target = sealedCount - left;
      // An attempt in progress may have begun before there was room.
      long stale = attempts + (flushing ? 1 : 0);
      if (flushedCount < target && lack != null) {
        wanted = true;
        worker.wake();
      }
      while (flushedCount < target) {
        gate.check("a flush failed");
        if (ended) {
          throw new ClosedException("the store");
        }
        if (lack != null && attempts > stale) {
          throw lack;
        }
        gate.changed.await();
      }
    } finally {
      gate.lock.unlock();
    }
  }

  /**
   * Waits for all sealed memtables as {@link #await} does, but ignores an interrupt until the end
   * and then restores it.
   */
  void awaitAll() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          await(0);
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Installs the drop of a family; no later flush adds tables to it. Waits for an installation in
   * progress.
   *
   * @throws IOException if the installation fails; the family lives on
   */
  void drop(FamilyWriteState family, WritePath.Installation installation) throws IOException {
    installing.lock();
    try {
      installation.install();
    } finally {
      // Even after an Error that followed the edit: the family must not take a write that is lost
      // with it.
      if (context.manifest().family(family.number()) == null) {
        family.drop();
      }
      installing.unlock();
    }
  }

  /**
   * Flushes the oldest sealed memtables, unless there are none or their last attempt is followed by
   * a pause. Returns the nanoseconds until the next step, or {@link Workers#UNTIL_WOKEN}.
   */
  private long step() {
    SealedLot next;
    gate.lock.lock();
    try {
      if (sealed.isEmpty() || gate.failure() != null) {
        return Workers.UNTIL_WOKEN;
      }
      long rest = pauseStart + pauseNanos - context.workers().nanoTime();
      if (pauseNanos > 0 && rest > 0 && !wanted) {
        return rest;
      }
      wanted = false;
      flushing = true;
      next = sealed.peek();
    } finally {
      gate.lock.unlock();
    }
    RuntimeException found = null;
    try {
      flushWithinReserve(next);
    } catch (DiskFullException e) {
      found = e;
    } catch (TooManyOpenFilesException e) {
      found = new UncheckedIOException("a memtable could not be flushed", e);
    } catch (IOException | RuntimeException | Error e) {
      if (JvmErrors.in(e) == null || context.manifest().failure() != null) {
        gate.fail("a memtable could not be flushed", e);
        return Workers.UNTIL_WOKEN;
      }
      // The flush took effect completely or not at all.
      found =
          new StalledException(
              "a memtable could not be flushed; the store tries again, give it more heap (-Xmx)",
              e);
    }
    endAttempt(found);
    return 0;
  }

  /**
   * Flushes the oldest sealed memtables. If the disk is full, releases the reserve and tries once
   * more. While the reserve is released, entries without a log record are flushed only if they take
   * at most half of the free space.
   */
  private void flushWithinReserve(SealedLot next) throws IOException {
    context.checkFlush(next.unloggedBytes());
    try {
      flush(next);
    } catch (DiskFullException e) {
      if (!context.reserve().release()) {
        throw e;
      }
      context.checkFlush(next.unloggedBytes());
      flush(next);
    }
  }

  private void endAttempt(RuntimeException found) {
    if (found != null) {
      context.listener().troubled("a memtable could not be flushed yet", found);
    }
    gate.lock.lock();
    try {
      flushing = false;
      attempts++;
      lack = found;
      pauseNanos =
          found == null
              ? 0
              : Math.min(Math.max(FIRST_PAUSE_NANOS, 2 * pauseNanos), MAX_PAUSE_NANOS);
      pauseStart = context.workers().nanoTime();
      gate.changed.signalAll();
    } finally {
      gate.lock.unlock();
    }
  }

  /**
   * Flushes the oldest sealed memtables, then deletes their log. A repeated call after an Error
   * continues where it stopped.
   *
   * @throws IOException if the tables cannot be written or installed; the versions are unchanged
   */
  private void flush(SealedLot oldest) throws IOException {
    if (!installed) {
      makeTables(oldest);
    }
    gate.lock.lock();
    try {
      for (; releasedMemtables < oldest.memtables().size(); releasedMemtables++) {
        ActiveMemtables.SealedMemtable one = oldest.memtables().get(releasedMemtables);
        one.family().memtables().dropOldest(one.memtable());
      }
      sealed.remove();
      installed = false;
      releasedMemtables = 0;
      try {
        oldest.release();
      } finally {
        // Last: a thread that reads the count without the lock assumes that their memory is free.
        flushedCount++;
        gate.changed.signalAll();
      }
    } finally {
      gate.lock.unlock();
    }
    removeLog(oldest);
    context.reserve().ensureAfterWork();
  }

  private void makeTables(SealedLot oldest) throws IOException {
    FlushEvent event = new FlushEvent();
    event.begin();
    long bytes = 0;
    Map<Integer, FamilyWriteState> families = new HashMap<>();
    oldest.memtables().forEach(one -> families.put(one.family().number(), one.family()));
    try (FlushOutputs runs =
        new FlushOutputs(
            context.disk(),
            context.tables(),
            context.manifest(),
            number -> context.outputs(number, families.get(number).limits()))) {
      for (ActiveMemtables.SealedMemtable one : oldest.memtables()) {
        if (!one.family().dropped()) {
          runs.add(one.family().number(), one.memtable(), context.snapshots());
        }
      }
      runs.sync();
      Map<Integer, FlushOutputs.Flushed> flushed = install(oldest, families, runs);
      installed = true;
      for (Map.Entry<Integer, FlushOutputs.Flushed> written : flushed.entrySet()) {
        families.get(written.getKey()).flushed(written.getValue());
        bytes += written.getValue().bytes();
      }
    }
    if (families.isEmpty()) {
      return;
    }
    event.end();
    if (event.shouldCommit()) {
      event.store = context.name();
      event.families = families.size();
      event.bytes = bytes;
      event.commit();
    }
    context.listener().flushed(bytes);
  }

  private Map<Integer, FlushOutputs.Flushed> install(
      SealedLot oldest, Map<Integer, FamilyWriteState> families, FlushOutputs runs)
      throws IOException {
    VersionEdit marks =
        VersionEdit.builder()
            .walFloor(oldest.floor().number(), oldest.floor().begun())
            .lastSequence(oldest.lastSequence())
            .build();
    installing.lock();
    try {
      return runs.install(marks, number -> !families.get(number).dropped());
    } finally {
      installing.unlock();
    }
  }

  /**
   * Deletes the log of flushed memtables; if that fails, a later call or the next opening of the
   * store deletes it. Logs must be deleted oldest first, with the directory synced in between,
   * because recovery needs every log after the first one that it finds.
   */
  private void removeLog(SealedLot flushed) {
    obsoleteLogs.add(flushed.log());
    try {
      flushed.writer().close();
      while (!obsoleteLogs.isEmpty()) {
        context.disk().delete(obsoleteLogs.peek());
        obsoleteLogs.remove();
      }
    } catch (IOException e) {
      context.listener().troubled(obsoleteLogs.peek() + " was not removed", e);
    }
  }

  /**
   * Stops the worker after the flush in progress, and leaves unflushed memtables to {@link
   * #giveUp}. Idempotent.
   */
  @Override
  public void close() {
    worker.close();
    gate.lock.lock();
    try {
      ended = true;
      gate.changed.signalAll();
    } finally {
      gate.lock.unlock();
    }
  }

  /**
   * Releases the memtables that were not flushed and closes their logs. The log files stay. Called
   * after {@link #close}.
   *
   * @return whether entries without a log record are lost
   */
  boolean giveUp() throws IOException {
    boolean lost = false;
    List<SealedLot> unflushed;
    gate.lock.lock();
    try {
      unflushed = List.copyOf(sealed);
    } finally {
      gate.lock.unlock();
    }
    for (SealedLot left : unflushed) {
      lost |= left.unlogged();
      left.release();
      left.writer().close();
    }
    return lost;
  }
}
