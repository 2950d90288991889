// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.JvmErrors;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.StalledException;
import io.coppice.entry.EntryBatch;
import io.coppice.io.TooManyOpenFilesException;
import io.coppice.version.EditOp;
import io.coppice.wal.WalWriter;
import io.coppice.write.family.ActiveMemtables;
import io.coppice.write.family.FamilyWriteState;
import io.coppice.write.family.RecoveredLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Entry of all writes: commits batches group by group and seals full memtables. Safe to share
 * between threads.
 *
 * <ol>
 *   <li>A writer joins the {@link WriteQueue}. The oldest writer leads: it commits its batch and
 *       those that wait behind it as one {@link WriteGroup}, passes the lead on, and wakes the
 *       writers of the group. If a group needs no sync and others wait, the same leader commits the
 *       next group, because waking another thread first would delay all of them.
 *   <li>Before a commit it makes room. A full memtable is sealed together with its log. Too many
 *       sealed ones ({@link Flusher}), or too many runs in level 0 ({@link BackPressure}), make
 *       writers wait.
 *   <li>The group gets sequence numbers, goes to the log as one record, is synced if any batch
 *       requests it, enters the memtable, and becomes visible at once.
 *   <li>Any failure of the log before the group is visible fails the whole group and makes the
 *       store read-only. The content of the log is then unknown, so nothing may follow it.
 * </ol>
 *
 * <p>A lack of disk space or file descriptors is not such a failure. It fails the group, which has
 * no effect. A group of deletions then uses the {@link io.coppice.io.disk.DiskSpaceReserve}, since
 * it gives merges something to remove. A flush without space is repeated with growing pauses, and
 * at once when a writer needs it.
 *
 * <p>A wait ends when its thread is interrupted, unless its batch is being committed. The batches
 * of a leader that gives up stay in the queue for the next one.
 */
public final class WritePath implements AutoCloseable {

  /** Divisor of the memtable size: a full memtable may grow by a quarter. */
  public static final int GROWTH_PART = 4;

  /** Maximum number of write groups that one leader commits before it passes the lead on. */
  private static final int MAX_GROUPS = 16;

  /** Longest time in nanoseconds that a sync waits for the writers of the last group to return. */
  private static final long MAX_PATIENCE_NANOS = 1_000_000;

  /** Waiter that wants exclusive use of the log and the memtables. */
  private static final class Alone extends WriteQueue.Waiter {}

  /** Waiter that wants a sync of the log. The leader writes the outcome. */
  private static final class PendingSync extends WriteQueue.Waiter {
    private RuntimeException failure;

    /** Whether the sync has succeeded. */
    private boolean synced;
  }

  private final WriteContext context;
  private final WriteGate gate;
  private final Flusher flusher;
  private final BackPressure pressure;
  private final WriteQueue queue = new WriteQueue();

  // All below: used by the thread that leads the queue.
  private final ActiveMemtables active;
  private final WriteGroup group;
  private final ActiveLog wal;
  private long lastSequence;

  /**
   * Whether an active memtable has entries without a log record. Such entries are lost if the
   * process ends before their flush.
   */
  private boolean unlogged;

  /**
   * Number of batches in the last group plus waiters behind it, when it ended. It estimates the
   * writers that will come back.
   */
  private int writers;

  /** Time in nanoseconds when the last sync of a group ended. */
  private long releasedNanos;

  /** Moving average of the duration of a sync, in nanoseconds. */
  private long syncNanos;

  /**
   * Whether the present group is done with the log up to its sync: its record is appended, or all
   * its batches are of {@link Durability#NONE}.
   */
  private boolean logStepDone;

  /** Whether the last group was synced. */
  private boolean syncedLast;

  /**
   * First of the committed batches whose writers must be woken, linked by {@code nextEnded}, or
   * null.
   */
  private PendingBatch ended;

  /** Newest visible sequence number. Written by the leader, read by any thread. */
  private volatile long visible;

  /**
   * Starts to take writes. If the constructor fails, for example for lack of a thread, the
   * arguments still belong to the caller.
   *
   * @param families the living families; none has a memtable yet
   * @param recovered logs still to flush, oldest first; this object owns them
   * @param wal a new, empty log; this object owns it
   * @param walNumber number of the file of {@code wal}
   * @param lastSequence the last sequence number in use
   */
  public WritePath(
      WriteContext context,
      Collection<FamilyWriteState> families,
      List<RecoveredLog> recovered,
      WalWriter wal,
      long walNumber,
      long lastSequence)
      throws IOException {
    this.context = context;
    this.gate = new WriteGate(context.workers(), context.listener());
    this.active = new ActiveMemtables(context.pool());
    families.forEach(active::add);
    this.group = new WriteGroup(active, queue);
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

  /**
   * Returns the newest sequence number that readers may see; 0 in a store without writes. It never
   * decreases.
   */
  public long visible() {
    return visible;
  }

  /**
   * Commits a batch and returns when it is visible with the requested durability.
   *
   * @throws ReadOnlyException if the store is read-only; if this batch caused the failure, the next
   *     opening may or may not recover it
   * @throws DiskFullException if the disk is full; the batch has no effect
   * @throws UncheckedIOException if the process is out of file descriptors; the batch has no effect
   * @throws StalledException if the thread is interrupted while it waits, or the merges that it
   *     waits for fail; the batch has no effect
   * @throws ClosedException if the store is closed
   */
  public void commit(EntryBatch batch, Durability durability) {
    if (batch.count() > 0) {
      commitInLead(new PendingBatch(batch, durability, null), "a write");
    } else if (durability == Durability.SYNC) {
      sync();
    }
  }

  /**
   * Commits a batch as {@link #commit} does, but only if a condition holds just before the commit.
   *
   * @return whether the condition held; otherwise nothing was written
   */
  public boolean commitIf(EntryBatch batch, Durability durability, Precondition condition) {
    PendingBatch own = new PendingBatch(batch, durability, condition);
    commitInLead(own, "a conditional write");
    return !own.refused;
  }

  private void commitInLead(PendingBatch own, String what) {
    boolean leads = queue.join(own);
    try {
      leads = leads || awaitLead(own);
      if (leads) {
        lead(own);
      }
    } catch (InterruptedException e) {
      throw interrupted(what, e);
    } catch (RuntimeException | Error e) {
      if (!leads) {
        leave(own);
      }
      throw e;
    } finally {
      if (leads) {
        // Before the lead passes: the next leader uses the field.
        PendingBatch first = ended;
        ended = null;
        queue.pass();
        wake(first);
      }
    }
    if (own.failure != null) {
      throw own.failure;
    }
    if (own.error != null) {
      throw own.error;
    }
  }

  /**
   * Waits until the writer leads or its batch is committed. Returns whether it leads.
   *
   * @throws InterruptedException if the thread is interrupted before the commit begins; the batch
   *     has left the queue
   */
  private boolean awaitLead(PendingBatch own) throws InterruptedException {
    try {
      return queue.await(own);
    } catch (InterruptedException e) {
      if (own.cancel()) {
        queue.leave(own);
        throw e;
      }
      // The commit has begun and ends soon; the interrupt is restored afterwards.
      boolean leads = queue.awaitUninterruptibly(own);
      Thread.currentThread().interrupt();
      return leads;
    }
  }

  /**
   * Commits the leader's batch with those that wait behind it, then further groups while none needs
   * a sync or a wait.
   */
  private void lead(PendingBatch own) throws InterruptedException {
    try {
      if (own.durability == Durability.SYNC) {
        awaitReleased();
      }
      commitGroup(own);
    } catch (InterruptedException | RuntimeException | Error e) {
      // The writer continues, and may soon fill its batch with other bytes.
      own.cancel();
      throw e;
    }
    try {
      for (int i = 1; i < MAX_GROUPS && !syncedLast && batchIsFirst() && hasRoom(); i++) {
        PendingBatch first = ended;
        ended = null;
        wake(first);
        commitGroup(null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      // The error concerns other writers, whose batches are back in the queue for the next leader.
    }
  }

  /**
   * Waits briefly for the writers of the last group to return, so that one sync serves them all.
   * The wait ends after half of a sync, because a longer one costs more than it saves.
   */
  private void awaitReleased() {
    if (writers <= 1 || queue.size() >= writers - 1) {
      return;
    }
    long sinceReleased = context.workers().nanoTime() - releasedNanos;
    long left = Math.min(syncNanos / 2, MAX_PATIENCE_NANOS) - sinceReleased;
    if (left > 0) {
      queue.awaitWaiting(writers - 1, left);
    }
  }

  /** Returns whether the oldest waiter has a batch to commit; other waiters lead alone. */
  private boolean batchIsFirst() {
    return queue.isFirst(PendingBatch.class);
  }

  /**
   * Returns whether the next group can be committed without a wait for flushes or merges. Room is
   * memory here; {@link #makeDiskRoom} is about the disk.
   */
  private boolean hasRoom() {
    return pressure.nanosPerByte() == 0
        && flusher.waiting() == 0
        && active.usedBytes() < context.memtableBytes();
  }

  /**
   * Commits one group, and leaves the other writers to wake in {@link #ended}.
   *
   * @param own the leader's batch, or null if it is already committed
   * @throws InterruptedException if the thread is interrupted while it waits for room; nothing was
   *     written, and the batches of others stay queued
   */
  private void commitGroup(PendingBatch own) throws InterruptedException {
    RuntimeException problem;
    try {
      group.collect(own);
      problem = writeGroup();
      if (problem instanceof DiskFullException && group.isMixed()) {
        // Deletions in a group of their own may use the reserve.
        group.separateDeletions(true);
        group.handBack();
        group.collect(own);
        problem = writeGroup();
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      group.handBack();
      throw e;
    }
    try {
      group.separateDeletions(problem instanceof DiskFullException || context.reserve().released());
      writers = group.size() + queue.size();
    } finally {
      ended = group.end(problem, own);
    }
  }

  /**
   * Writes the collected group to log and memtables and makes it visible. A result is the outcome
   * of every batch. After an exception nothing has happened, and the batches go back to the queue.
   *
   * @return cause of a failure, or null after a success
   * @throws InterruptedException if the thread is interrupted while it waits for flushes or merges
   */
  private RuntimeException writeGroup() throws InterruptedException {
    boolean begun = false;
    logStepDone = false;
    syncedLast = false;
    try {
      gate.check();
      makeDiskRoom();
      makeRoom();
      recordFamilies();
      group.begin();
      begun = true;
      appendToLog(group.logged());
      insertIntoMemtables();
    } catch (ReadOnlyException | DiskFullException e) {
      return failIfBroken(e);
    } catch (RuntimeException | Error e) {
      boolean broken = wal.isBroken();
      if (!logStepDone && !broken && (e instanceof Error || JvmErrors.in(e) != null)) {
        // The error concerns this thread, and nothing has happened: others retry themselves.
        throw e;
      }
      return begun || broken ? fail("a group could not be written", e) : (RuntimeException) e;
    }
    reportAccepted();
    return null;
  }

  /**
   * Checks that the disk has room for the group. If a group of deletions finds none, first seals
   * and flushes all memtables, because that deletes the log, and waits for this flush.
   *
   * @throws DiskFullException if there is still no room
   */
  private void makeDiskRoom() throws InterruptedException {
    boolean deletesOnly = group.deletesOnly();
    try {
      context.checkWrite(deletesOnly, active.usedBytes());
    } catch (DiskFullException e) {
      if (!deletesOnly || active.isEmpty()) {
        throw e;
      }
      seal();
      flusher.await(0);
      context.checkWrite(true, 0);
    }
  }

  /**
   * Waits until the write pressure and the memory allow the group, and allocates its memory. Seals
   * full memtables.
   */
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
   * Returns whether the memtables must be sealed. Full ones may grow by a quarter while the worker
   * syncs the log, so that sealing waits only briefly. They do so only if no sealed memtable waits
   * for its flush.
   */
  private boolean isFull() {
    long bytes = active.usedBytes() + active.wantedBytes();
    long most = context.memtableBytes();
    return bytes > most
        && (flusher.waiting() > 0 || bytes > most + most / GROWTH_PART || !wal.catchesUp());
  }

  /**
   * Frees memory when the memory budget is exhausted: waits for the flush of a sealed memtable, or
   * else seals and flushes the active ones. If all are empty, releases the memory that failed
   * batches have left.
   *
   * @throws IllegalArgumentException if even then the group does not fit
   */
  private void makeMemory() throws InterruptedException {
    if (context.pool().trim()) {
      return;
    }
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

  /**
   * Marks new families in the file CURRENT before their first entry. Without the mark, a manifest
   * that lost the family would look complete.
   */
  private void recordFamilies() {
    int first = context.manifest().firstUnrecorded();
    if (first == Integer.MAX_VALUE) {
      return;
    }
    List<FamilyWriteState> wanted = active.wanted();
    for (int i = 0; i < wanted.size(); i++) {
      if (wanted.get(i).number() >= first) {
        try {
          context.manifest().recordFamilies();
          return;
        } catch (IOException e) {
          throw fail(
              "CURRENT could not be rewritten to record a new family; free disk space or fix the disk, then reopen the store",
              e);
        }
      }
    }
  }

  private void appendToLog(List<EntryBatch> logged) {
    if (logged.isEmpty()) {
      logStepDone = true;
      return;
    }
    try {
      append(logged);
      logStepDone = true;
      if (group.wantsSync()) {
        syncGroup();
      }
    } catch (IOException e) {
      throw fail("the log could not be written", e);
    }
  }

  private void append(List<EntryBatch> logged) throws IOException {
    try {
      wal.append(lastSequence + 1, logged);
    } catch (DiskFullException e) {
      if (!takeReserve()) {
        throw e;
      }
      wal.append(lastSequence + 1, logged);
    }
  }

  /**
   * Releases the {@link io.coppice.io.disk.DiskSpaceReserve} if the present group contains only
   * deletions. Returns whether space was released.
   */
  private boolean takeReserve() {
    return group.deletesOnly() && context.reserve().release();
  }

  private void syncGroup() throws IOException {
    long started = context.workers().nanoTime();
    queue.syncing(true);
    try {
      wal.sync();
    } finally {
      queue.syncing(false);
    }
    syncedLast = true;
    releasedNanos = context.workers().nanoTime();
    syncNanos += (releasedNanos - started - syncNanos) / 4;
  }

  private void insertIntoMemtables() {
    unlogged |= group.hasUnlogged();
    lastSequence = group.insert(lastSequence);
    visible = lastSequence;
  }

  private void reportAccepted() {
    try {
      context.listener().accepted(group.committedBytes());
    } catch (VirtualMachineError e) {
      // The group is written; only one metric is too small.
    }
  }

  /**
   * Makes the store read-only if the failure has ended the log. Returns the exception to report:
   * the given one, or one of the read-only state.
   */
  private RuntimeException failIfBroken(RuntimeException e) {
    return wal.isBroken() && gate.failure() == null ? fail("the log could not be written", e) : e;
  }

  /**
   * Ends the wait of the writers of a list of committed batches.
   *
   * @param first its first batch, or null
   */
  private void wake(PendingBatch first) {
    for (PendingBatch one = first; one != null; ) {
      PendingBatch next = one.nextEnded;
      queue.end(one);
      one = next;
    }
  }

  /**
   * Removes the writer's batch from the queue after an error. If its commit has begun, waits for
   * the end of the commit instead.
   */
  private void leave(PendingBatch own) {
    if (own.cancel()) {
      queue.leave(own);
    } else {
      queue.awaitUninterruptibly(own);
    }
  }

  private static StalledException interrupted(String what, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new StalledException(what + " was interrupted while it waited", cause);
  }

  /** Seals the active memtables and starts a new log. The thread leads the write queue. */
  private void seal() {
    try {
      wal.finish();
      long number = context.manifest().nextNumber();
      WalWriter next = createLog(number);
      handToFlusher(wal.exchange(next), new EditOp.WalFloor(number, true));
    } catch (TooManyOpenFilesException e) {
      throw new UncheckedIOException("a new log could not be started", e);
    } catch (DiskFullException e) {
      throw failIfBroken(e);
    } catch (IOException | RuntimeException | Error e) {
      // The new log may exist: nothing may be appended to the old one, whose end must be intact.
      throw fail("a new log could not be started", e);
    }
  }

  private WalWriter createLog(long number) throws IOException {
    try {
      return WalWriter.create(context.disk(), number);
    } catch (DiskFullException e) {
      if (!takeReserve()) {
        throw e;
      }
      return WalWriter.create(context.disk(), number);
    }
  }

  private void handToFlusher(WalWriter log, EditOp.WalFloor floor) {
    flusher.add(active.seal(), log, floor, lastSequence, unlogged);
    unlogged = false;
  }

  /**
   * Waits for exclusive use of the log and the memtables. The caller ends the use by {@link
   * WriteQueue#pass}.
   *
   * @throws InterruptedException if the thread is interrupted while it waits; it then lacks
   *     exclusive use, and the caller must not call {@link WriteQueue#pass}
   */
  private void awaitExclusive() throws InterruptedException {
    Alone own = new Alone();
    boolean leads = queue.join(own);
    try {
      if (!leads) {
        queue.await(own);
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      queue.leave(own);
      throw e;
    }
  }

  private void awaitExclusiveUninterruptibly() {
    Alone own = new Alone();
    boolean leads = queue.join(own);
    try {
      if (!leads) {
        queue.awaitUninterruptibly(own);
      }
    } catch (RuntimeException | Error e) {
      queue.leave(own);
      throw e;
    }
  }

  /**
   * Makes all earlier writes with a log record durable. Threads that wait at the same time share
   * one sync.
   *
   * @throws ReadOnlyException if the store is read-only, or the sync fails
   * @throws ClosedException if the store is closed
   * @throws StalledException if the thread is interrupted while it waits, or the thread that synced
   *     for it ran out of heap or stack
   */
  public void sync() {
    PendingSync own = new PendingSync();
    List<PendingSync> shared = new ArrayList<>();
    boolean leads = queue.join(own);
    try {
      leads = leads || awaitLead(own);
      if (leads) {
        leadSync(own, shared);
      }
    } catch (InterruptedException e) {
      throw interrupted("a sync", e);
    } catch (RuntimeException | Error e) {
      if (!leads && !queue.leave(own)) {
        queue.awaitUninterruptibly(own);
      }
      throw e;
    } finally {
      if (leads) {
        queue.pass();
        for (int i = 0; i < shared.size(); i++) {
          queue.end(shared.get(i));
        }
      }
    }
    if (own.failure != null) {
      throw own.failure;
    }
    if (!own.synced) {
      throw new StalledException(
          "a sync was not carried out: the thread that synced for several calls ran out of heap or"
              + " stack; call sync again",
          null);
    }
  }

  private boolean awaitLead(PendingSync own) throws InterruptedException {
    try {
      return queue.await(own);
    } catch (InterruptedException e) {
      if (queue.leave(own)) {
        throw e;
      }
      boolean leads = queue.awaitUninterruptibly(own);
      Thread.currentThread().interrupt();
      return leads;
    }
  }

  private void leadSync(PendingSync own, List<PendingSync> shared) {
    RuntimeException failure = null;
    boolean synced = false;
    // An Error that leaves the log intact concerns this thread; the others are told to sync again.
    queue.takeAll(PendingSync.class, shared);
    try {
      gate.check();
      syncLog();
      synced = true;
    } catch (RuntimeException e) {
      failure = e;
    }
    own.failure = failure;
    own.synced = synced;
    for (PendingSync one : shared) {
      one.failure = failure;
      one.synced = synced;
    }
  }

  private void syncLog() {
    try {
      wal.sync();
    } catch (IOException e) {
      throw fail("the log could not be synced", e);
    } catch (RuntimeException | Error e) {
      if (wal.isBroken()) {
        throw fail("the log could not be synced", e);
      }
      throw e;
    }
  }

  /**
   * Seals the active memtables and returns when every sealed one is in tables. Errors are those of
   * {@link #commit}.
   *
   * @throws StalledException if the thread is interrupted while it waits, or the flush finds no
   *     heap; all data stays readable
   */
  public void flush() {
    try {
      flushInterruptibly();
    } catch (InterruptedException e) {
      throw interrupted("a flush", e);
    }
  }

  /** Flushes as {@link #flush} does, but throws an interrupt as InterruptedException. */
  public void flushInterruptibly() throws InterruptedException {
    awaitExclusive();
    try {
      gate.check();
      if (!active.isEmpty()) {
        seal();
      }
    } finally {
      queue.pass();
    }
    awaitSealed();
  }

  /** Adds a new family, which takes writes from now on. Waits for the commit in progress. */
  public void add(FamilyWriteState family) {
    awaitExclusiveUninterruptibly();
    try {
      active.add(family);
    } finally {
      queue.pass();
    }
  }

  /** Change of the manifest that drops a family. Called by one thread. */
  public interface Installation {
    /** Makes the change durable. Throws as {@link io.coppice.manifest.Manifest#install} does. */
    void install() throws IOException;
  }

  /**
   * Drops a family: refuses further writes to it and discards its entries that are not in tables.
   * Waiting batches with writes to it fail. Every earlier write with a log record is made durable
   * first, so that data copied out of the family is not lost with it.
   *
   * @param installation makes the drop durable; if it fails, nothing has changed
   * @throws IOException if the installation fails
   * @throws InterruptedException if the thread is interrupted while it waits for the lead; nothing
   *     has changed
   * @throws ReadOnlyException if the store is read-only, or the sync fails
   */
  public void drop(FamilyWriteState family, Installation installation)
      throws IOException, InterruptedException {
    awaitExclusive();
    try {
      gate.check();
      syncLog();
      try {
        flusher.drop(family, installation);
      } finally {
        if (family.dropped()) {
          active.remove(family);
        }
      }
    } finally {
      queue.pass();
    }
  }

  /**
   * Waits until every memtable sealed before this call is in tables. Errors are those of {@link
   * #commit}.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void awaitSealed() throws InterruptedException {
    flusher.await(0);
  }

  /** Wakes waiting writers to check again, because a version was installed or a plan failed. */
  public void signal() {
    gate.signal();
  }

  /** Sets whether compaction is paused, so that writers do not wait for merges in vain. */
  public void mergesPaused(boolean paused) {
    pressure.mergesPaused(paused);
  }

  /** Returns the present delay of writers in nanoseconds per byte. */
  public double delayNanosPerByte() {
    return pressure.nanosPerByte();
  }

  /** Returns whether a failure made the store read-only. */
  public boolean failed() {
    return gate.failure() != null;
  }

  /**
   * Makes the store read-only, unless it is already. Returns an exception for the caller to throw.
   *
   * @param what message of the failure
   */
  public ReadOnlyException fail(String what, Throwable cause) {
    return gate.fail(what, cause);
  }

  /**
   * Refuses further writes, waits for the flush of all memtables unless the store is read-only, and
   * releases log and memtables. Idempotent.
   *
   * @throws DiskFullException if entries without a log record found too little space for their
   *     flush; they are lost, and the next opening recovers all others
   */
  @Override
  public void close() throws IOException {
    if (!gate.close()) {
      return;
    }
    RuntimeException problem = null;
    boolean lost;
    awaitExclusiveUninterruptibly();
    try {
      problem = flushLast();
    } finally {
      queue.pass();
      lost = giveUp();
    }
    if (problem != null) {
      context.listener().troubled("what is in the log was not flushed", problem);
      if (lost) {
        throw problem;
      }
    }
  }

  /**
   * Flushes everything before the store closes. Returns an exception that names the lacking
   * resource, or null. The thread leads the write queue.
   */
  private RuntimeException flushLast() {
    if (gate.failure() != null) {
      return null;
    }
    try {
      // Even an empty log is sealed: without it, the manifest proves that no write is missing.
      sealLast();
      flusher.awaitAll();
      return null;
    } catch (ReadOnlyException e) {
      // The listener knows already, and the next opening recovers the log.
      return null;
    } catch (DiskFullException | UncheckedIOException | StalledException e) {
      return e;
    } catch (Error e) {
      return new StalledException("the memtables were not flushed when the store was closed", e);
    }
  }

  /** Seals the active memtables when the store closes, as {@link #seal} does, but starts no log. */
  private void sealLast() {
    try {
      wal.finish();
      long none = context.manifest().nextNumber();
      handToFlusher(wal.present(), new EditOp.WalFloor(none, false));
    } catch (IOException e) {
      throw fail("the log could not be synced", e);
    }
  }

  /**
   * Releases log and memtables without a flush. Returns whether entries without a log record are
   * lost.
   */
  private boolean giveUp() throws IOException {
    flusher.close();
    try (wal) {
      return flusher.giveUp();
    }
  }
}
