// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.StalledException;
import io.coppice.entry.EntryBatch;
import io.coppice.io.OutOfFilesException;
import io.coppice.manifest.EditOp;
import io.coppice.wal.WalWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes batches, one group at a time, and seals what is to be flushed. Safe to share between
 * threads.
 *
 * <ol>
 *   <li>A writer queues its batch and takes the write lock; whoever gets it commits all that is
 *       queued ({@link WriteGroup}), so writers that waited find their batch done.
 *   <li>Room is made first: a full memtable is sealed, with its log; too many sealed ones ({@link
 *       Flusher}), or too many runs in level 0 ({@link BackPressure}), make writers wait.
 *   <li>The group gets sequence numbers, goes to the log as one record, is synced if any batch asks
 *       for it, enters the memtable, and becomes visible all at once.
 *   <li>Any failure of the log before the group is visible fails the whole group and turns the
 *       store read-only: what the log holds then is unknown, so nothing may follow it.
 * </ol>
 *
 * <p>A lack of room or descriptors is no such failure. It fails the group, which has had no effect;
 * a flush that met it is tried again with growing pauses, and at once when a writer needs it.
 *
 * <p>Waiting ends when the waiting thread is interrupted, unless its batch is being committed. Of a
 * group whose leader gives up nothing is lost: the next leader takes it over.
 */
public final class WritePath implements AutoCloseable {

  /** A memtable grows by this part of its size at most. */
  public static final int GROWTH_PART = 4;

  private final WriteContext context;
  private final WriteGate gate;
  private final Flusher flusher;
  private final BackPressure pressure;
  private final Queue<PendingBatch> queue = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();

  // All below: guarded by lock.
  private final ActiveMemtables active;
  private final WriteGroup group;
  private final ActiveLog wal;
  private long lastSequence;

  /** True if an active memtable has entries without a log record. */
  private boolean unlogged;

  /** Set under the lock, read by anybody. */
  private volatile long visible;

  /**
   * Starts to take writes. If that fails, as there is no thread, nothing is taken over.
   *
   * @param families the living ones, each with no memtable yet
   * @param recovered logs that are still to be flushed, oldest first, taken over
   * @param wal a new, empty log, taken over
   * @param walNumber of its file
   * @param lastSequence the last sequence number in use
   */
  public WritePath(
      WriteContext context,
      Collection<WrittenFamily> families,
      List<RecoveredLog> recovered,
      WalWriter wal,
      long walNumber,
      long lastSequence)
      throws IOException {
    this.context = context;
    this.gate = new WriteGate(context.workers(), context.listener());
    this.active = new ActiveMemtables(context.pool());
    families.forEach(active::add);
    this.group = new WriteGroup(active);
    this.wal =
        new ActiveLog(
            wal,
            context.memtableBytes(),
            context.workers(),
            context.name() + "-log",
            e -> fail("the log could not be synced", e));
    this.lastSequence = lastSequence;
    this.visible = lastSequence;
    try {
      this.flusher = new Flusher(context, gate, families, recovered, walNumber);
    } catch (RuntimeException | Error e) {
      this.wal.close();
      throw e;
    }
    this.pressure = new BackPressure(context, gate, active, flusher);
  }

  /** The newest sequence number that readers may see. */
  public long visible() {
    return visible;
  }

  /**
   * Commits a batch and returns when it has the durability asked for and is visible.
   *
   * @throws ReadOnlyException if the store takes no writes; whether this batch is recovered is open
   *     if the failure came with it
   * @throws DiskFullException if there is no room; the batch has no effect
   * @throws UncheckedIOException if there is no descriptor; the batch has no effect
   * @throws StalledException if the thread is interrupted while it waits, or merges that must come
   *     first fail; the batch has no effect
   * @throws ClosedException if the store is closed
   */
  public void commit(EntryBatch batch, Durability durability) {
    if (batch.count() > 0) {
      commit(new PendingBatch(batch, durability, null), "a write");
    } else if (durability == Durability.SYNC) {
      sync();
    }
  }

  /**
   * Commits a batch as {@link #commit} does if a condition holds at that moment.
   *
   * @return false if it did not hold; nothing was written then
   */
  public boolean commitIf(EntryBatch batch, Durability durability, Precondition condition) {
    PendingBatch own = new PendingBatch(batch, durability, condition);
    commit(own, "a conditional write");
    return !own.refused;
  }

  private void commit(PendingBatch own, String what) {
    queue.add(own);
    try {
      commit(own);
    } catch (InterruptedException e) {
      throw interrupted(what, e);
    }
    if (own.failure != null) {
      throw own.failure;
    }
  }

  private static StalledException interrupted(String what, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new StalledException(what + " was interrupted while it waited", cause);
  }

  private void commit(PendingBatch own) throws InterruptedException {
    InterruptedException tooLate = lockFor(own);
    try {
      while (!own.done) {
        commitGroup();
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      // It may still be queued, and its writer goes on.
      boolean cancelled = own.cancel();
      assert cancelled || own.done : "all waiting is done before a commit begins";
      throw e;
    } finally {
      lock.unlock();
      if (tooLate != null) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Takes the lock; returns an interrupt that came when the commit of the batch had begun. */
  private InterruptedException lockFor(PendingBatch own) throws InterruptedException {
    try {
      lockInterruptibly();
      return null;
    } catch (InterruptedException e) {
      if (own.cancel()) {
        throw e;
      }
      lock.lock();
      return e;
    }
  }

  /** An interrupt that came earlier does not matter where there is nothing to wait for. */
  private void lockInterruptibly() throws InterruptedException {
    if (!lock.tryLock()) {
      lock.lockInterruptibly();
    }
  }

  /**
   * Makes all writes before this call durable that have a log record.
   *
   * @throws StalledException if the thread is interrupted while it waits
   */
  public void sync() {
    try {
      lockInterruptibly();
    } catch (InterruptedException e) {
      throw interrupted("a sync", e);
    }
    try {
      gate.check();
      syncLog();
    } finally {
      lock.unlock();
    }
  }

  private void syncLog() {
    try {
      wal.sync();
    } catch (IOException e) {
      throw fail("the log could not be synced", e);
    }
  }

  /**
   * Seals the active memtable and returns when everything sealed is in tables.
   *
   * @throws StalledException if the thread is interrupted while it waits
   */
  public void flush() {
    try {
      flushInterruptibly();
    } catch (InterruptedException e) {
      throw interrupted("a flush", e);
    }
  }

  /** As {@link #flush}, with the interrupt as it came. */
  public void flushInterruptibly() throws InterruptedException {
    lockInterruptibly();
    try {
      gate.check();
      if (!active.isEmpty()) {
        seal();
      }
    } finally {
      lock.unlock();
    }
    awaitSealed();
  }

  /** Takes writes for a new family from now on. */
  public void add(WrittenFamily family) {
    lock.lock();
    try {
      active.add(family);
    } finally {
      lock.unlock();
    }
  }

  /** Makes a change of the manifest durable. Called by one thread, the one that drops a family. */
  public interface Installation {
    /** Makes it durable, or throws as {@link io.coppice.manifest.Manifest#install} does. */
    void install() throws IOException;
  }

  /**
   * Drops a family: takes no more writes for it, and forgets what of it is not in tables. Batches
   * that wait to be written to it fail. Every write before that has a log record is durable first,
   * so that what was copied out of the family is not lost with it.
   *
   * @param installation makes the drop durable; if it fails nothing has happened
   */
  public void drop(WrittenFamily family, Installation installation)
      throws IOException, InterruptedException {
    lockInterruptibly();
    try {
      gate.check();
      syncLog();
      flusher.drop(family, installation);
      active.remove(family);
      group.refuseDropped();
    } finally {
      lock.unlock();
    }
  }

  /** Returns when everything sealed is in tables. */
  public void awaitSealed() throws InterruptedException {
    flusher.await(0);
  }

  /** Says that a version was installed or a plan failed, so that writers that wait look again. */
  public void signal() {
    gate.signal();
  }

  /** Says whether compaction is paused, so that writers do not wait for merges in vain. */
  public void mergesPaused(boolean paused) {
    pressure.mergesPaused(paused);
  }

  /** By how much writers are held back now, in nanoseconds for each byte. */
  public double delayNanosPerByte() {
    return pressure.nanosPerByte();
  }

  /** Turns the store read-only, unless it is. */
  public ReadOnlyException fail(String what, Throwable cause) {
    return gate.fail(what, cause);
  }

  /**
   * Takes no more writes, flushes what there is unless the store is read-only. Idempotent.
   *
   * @throws DiskFullException if there was no room to flush entries without a log record: they are
   *     lost. What has a log record is recovered by the next opening.
   */
  @Override
  public void close() throws IOException {
    if (!gate.close()) {
      return;
    }
    RuntimeException problem = null;
    lock.lock();
    try {
      problem = flushLast();
    } finally {
      lock.unlock();
      flusher.close();
    }
    boolean lost;
    try (wal) {
      lost = flusher.giveUp();
    }
    if (problem != null) {
      context.listener().troubled("what is in the log was not flushed", problem);
      if (lost) {
        throw problem;
      }
    }
  }

  /** Flushes at the end; returns why there was no room for that, or null. The lock is held. */
  private RuntimeException flushLast() {
    if (gate.failure() != null) {
      return null;
    }
    try {
      if (!active.isEmpty()) {
        sealLast();
      }
      flusher.awaitAll();
      return null;
    } catch (ReadOnlyException e) {
      // The listener was told; what is in the log is recovered by the next open.
      return null;
    } catch (DiskFullException | UncheckedIOException e) {
      return e;
    }
  }

  /**
   * Commits what is queued, up to the size of a group. The lock is held.
   *
   * @throws InterruptedException if the thread is interrupted while it waits for room; the group
   *     stays for whoever takes the lock next
   */
  private void commitGroup() throws InterruptedException {
    group.gather(queue);
    group.end(commit());
  }

  /** Commits the group; returns why it failed, or null. */
  private RuntimeException commit() throws InterruptedException {
    boolean started = false;
    try {
      gate.check();
      context.checkReserve("a write");
      makeRoom();
      group.begin();
      started = true;
      log();
      insert();
      context.listener().accepted(group.committedBytes());
      return null;
    } catch (ReadOnlyException | DiskFullException e) {
      return e;
    } catch (RuntimeException e) {
      return started ? fail("a group could not be written", e) : e;
    } catch (Error e) {
      return fail("a group could not be written", e);
    }
  }

  private void makeRoom() throws InterruptedException {
    long started = 0;
    StallEvent event = null;
    try {
      pressure.holdBack(group.bytes());
      if (!active.isEmpty() && (active.hasTooManyRanges() || isFull())) {
        if (flusher.waiting() >= Flusher.MAX_SEALED) {
          started = context.workers().nanoTime();
          event = StallEvent.begun();
          flusher.await(Flusher.MAX_SEALED - 1);
        }
        seal();
      }
      while (!active.ensure()) {
        if (started == 0) {
          started = context.workers().nanoTime();
          event = StallEvent.begun();
        }
        makeMemory();
      }
    } finally {
      if (event != null) {
        context.listener().stalled(context.workers().nanoTime() - started);
        event.end(context.name(), StallEvent.FLUSHES);
      }
    }
  }

  /**
   * A full memtable grows a little while its log becomes durable, which whoever seals it would wait
   * for. So at most one of those that are not in tables has grown.
   */
  private boolean isFull() {
    long bytes = active.usedBytes() + active.wantedBytes();
    long most = context.memtableBytes();
    return bytes > most
        && (flusher.waiting() > 0 || bytes > most + most / GROWTH_PART || !wal.catchesUp());
  }

  /**
   * The ledger is full: what is sealed is waited for, what is active is sealed. What batches that
   * came to nothing left is given up.
   */
  private void makeMemory() throws InterruptedException {
    context.pool().trim();
    int waiting = flusher.waiting();
    if (waiting > 0) {
      flusher.await(waiting - 1);
      return;
    }
    if (!active.isEmpty()) {
      seal();
      flusher.await(0);
      return;
    }
    active.giveUp();
    if (!active.ensure()) {
      active.giveUp();
      throw new IllegalArgumentException(
          "a batch that needs "
              + active.wantedBytes()
              + " bytes does not fit what is left of the memory budget; give the store more memory"
              + " or write smaller batches");
    }
  }

  private void log() {
    List<EntryBatch> logged = group.logged();
    if (logged.isEmpty()) {
      return;
    }
    try {
      wal.append(lastSequence + 1, logged);
      if (group.wantsSync()) {
        wal.sync();
      }
    } catch (IOException e) {
      throw fail("the log could not be written", e);
    }
  }

  private void insert() {
    unlogged |= group.hasUnlogged();
    lastSequence = group.insert(lastSequence);
    visible = lastSequence;
  }

  /** Seals the active memtables; a new log takes over. The lock is held. */
  private void seal() {
    try {
      wal.finish();
      long number = context.manifest().nextNumber();
      WalWriter next = WalWriter.create(context.disk(), number);
      handToFlusher(wal.exchange(next), new EditOp.WalFloor(number, true));
    } catch (OutOfFilesException e) {
      throw new UncheckedIOException("a new log could not be started", e);
    } catch (IOException e) {
      throw fail("a new log could not be started", e);
    }
  }

  /** As {@link #seal}, for the end: the log has no successor. */
  private void sealLast() {
    try {
      wal.finish();
      long none = context.manifest().nextNumber();
      handToFlusher(wal.present(), new EditOp.WalFloor(none, false));
    } catch (IOException e) {
      throw fail("the log could not be synced", e);
    }
  }

  private void handToFlusher(WalWriter log, EditOp.WalFloor floor) {
    flusher.add(active.seal(), log, floor, lastSequence, unlogged);
    unlogged = false;
  }
}
