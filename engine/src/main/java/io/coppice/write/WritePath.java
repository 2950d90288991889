// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.StalledException;
import io.coppice.base.Workers;
import io.coppice.base.WriteDebt;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.FileKind;
import io.coppice.io.OutOfFilesException;
import io.coppice.manifest.VersionEdit;
import io.coppice.wal.WalWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes batches, one group at a time, and flushes what was sealed. Safe to share between threads.
 *
 * <ol>
 *   <li>A writer queues its batch and takes the write lock; whoever gets it commits all that is
 *       queued, so writers that waited find their batch done.
 *   <li>Room is made first: a full memtable is sealed, with its log; too many sealed ones, or too
 *       many runs in level 0, make writers wait.
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

  /** A group takes no further batch once it has so many bytes, to bound the wait of the first. */
  private static final int GROUP_BYTES = 1 << 20;

  /** One active and two sealed memtables fit the memory a store must be given. */
  private static final int MAX_SEALED = 2;

  /** Merging that is wanted never slows writers more than so much debt: it stops nobody. */
  private static final double MOST_BACKLOG_DEBT = 0.75;

  /** Pause after a flush that found no room; it doubles up to {@link #MAX_PAUSE_NANOS}. */
  private static final long FIRST_PAUSE_NANOS = 100_000_000L;

  private static final long MAX_PAUSE_NANOS = 10_000_000_000L;

  /** Merges that must fail under the eyes of a waiting writer before it gives up. */
  private static final int MERGE_FAILURES = 2;

  private final WriteContext context;
  private final Queue<Pending> queue = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final ActiveMemtables active;
  private final EntryBatchReader reader = new EntryBatchReader();
  private final List<Pending> group = new ArrayList<>();
  private long groupBytes;
  private final WriteDelay delay = new WriteDelay();

  /** True if a batch of the group has a condition; {@link #touched} is kept only then. */
  private boolean conditional;

  private final GroupKeys touched = new GroupKeys();
  private final List<EntryBatch> logged = new ArrayList<>();
  private final ActiveLog wal;

  private long lastSequence;

  /** True if an active memtable has entries without a log record. */
  private boolean unlogged;

  private volatile boolean closing;
  private volatile long visible;
  private volatile ReadOnlyException failure;
  private final ReentrantLock flushLock = new ReentrantLock();
  private final Condition flushChanged;
  private final Workers.Worker flusher;
  // Guarded by flushLock.
  private final Deque<Sealed> sealed = new ArrayDeque<>();

  // Written under flushLock.
  private volatile long sealedCount;
  private volatile long flushedCount;

  /** Why the last flush found no room or descriptor; null if it went well. */
  private RuntimeException flushProblem;

  /** Flushes tried and ended. */
  private long flushAttempts;

  private boolean flushing;
  private boolean flushWanted;

  /** The rest after a flush that found no room, and when it began. */
  private long flushPauseNanos;

  private long flushPauseStart;
  private Throwable mergeProblem;
  private long mergeFailures;
  private boolean mergesPaused;

  /** A batch on its way. Its bytes are read under its monitor until its commit has begun. */
  private static final class Pending {
    final EntryBatch batch;
    final Durability durability;

    /** Null if there is none. */
    final Precondition condition;

    boolean refused;
    boolean done;
    RuntimeException failure;

    /** Guarded by this. */
    private boolean begun;

    /** Guarded by this. */
    private boolean cancelled;

    Pending(EntryBatch batch, Durability durability, Precondition condition) {
      this.batch = batch;
      this.durability = durability;
      this.condition = condition;
    }

    /** False if the batch is not to be committed: its condition does not hold, or failed. */
    boolean passes() {
      if (condition == null) {
        return true;
      }
      try {
        refused = !condition.holds().getAsBoolean();
      } catch (RuntimeException e) {
        failure = e;
      }
      done = refused || failure != null;
      return !done;
    }

    /** Begins the commit; false if the writer has given up. */
    synchronized boolean begin() {
      begun = !cancelled;
      return begun;
    }

    /** Gives up, after which nobody reads the batch; false if its commit has begun. */
    synchronized boolean cancel() {
      cancelled = !begun;
      return cancelled;
    }
  }

  /** Held while a flush or a drop is installed, so that no flush names a dropped family. */
  private final ReentrantLock installing = new ReentrantLock();

  /** Memtables that wait to be flushed, and the first log that is still needed afterwards. */
  private record Sealed(
      List<ActiveMemtables.Sealed> memtables,
      String log,
      Closeable writer,
      long walFloor,
      long lastSequence,
      boolean unlogged) {
    void release() {
      memtables.forEach(one -> one.memtable().release());
    }
  }

  /**
   * Starts to take writes.
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
      long lastSequence) {
    this.context = context;
    this.flushChanged = context.workers().condition(flushLock);
    this.active = new ActiveMemtables(context.pool());
    families.forEach(active::add);
    Map<Integer, WrittenFamily> byNumber = new HashMap<>();
    families.forEach(family -> byNumber.put(family.number(), family));
    for (int i = 0; i < recovered.size(); i++) {
      long floor = i + 1 < recovered.size() ? recovered.get(i + 1).number() : walNumber;
      sealed.add(sealed(recovered.get(i), floor, byNumber));
      sealedCount++;
    }
    this.wal =
        new ActiveLog(
            wal,
            context.memtableBytes(),
            context.workers(),
            context.name() + "-log",
            e -> fail("the log could not be synced", e));
    this.lastSequence = lastSequence;
    this.visible = lastSequence;
    flusher = context.workers().start(context.name() + "-flush", this::flushStep);
  }

  private static Sealed sealed(
      RecoveredLog log, long walFloor, Map<Integer, WrittenFamily> families) {
    List<ActiveMemtables.Sealed> memtables = new ArrayList<>();
    log.memtables()
        .forEach(
            (number, memtable) -> {
              WrittenFamily family = families.get(number);
              family.memtables().activate(memtable);
              memtables.add(new ActiveMemtables.Sealed(family, family.memtables().seal()));
            });
    String name = FileKind.WAL.fileName(log.number());
    return new Sealed(memtables, name, () -> {}, walFloor, log.lastSequence(), false);
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
      commit(new Pending(batch, durability, null), "a write");
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
    Pending own = new Pending(batch, durability, condition);
    commit(own, "a conditional write");
    return !own.refused;
  }

  private void commit(Pending own, String what) {
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

  private void commit(Pending own) throws InterruptedException {
    InterruptedException tooLate = lockFor(own);
    try {
      while (!own.done) {
        commitGroup();
      }
    } catch (InterruptedException e) {
      boolean cancelled = own.cancel();
      assert cancelled : "all waiting is done before a commit begins";
      throw e;
    } finally {
      lock.unlock();
      if (tooLate != null) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Takes the lock; returns an interrupt that came when the commit of the batch had begun. */
  private InterruptedException lockFor(Pending own) throws InterruptedException {
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
      checkWritable();
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
      checkWritable();
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

  /** Makes a change of the manifest durable. */
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
      checkWritable();
      syncLog();
      installing.lock();
      try {
        installation.install();
        family.drop();
      } finally {
        installing.unlock();
      }
      active.remove(family);
      refuseDropped();
    } finally {
      lock.unlock();
    }
  }

  /** Of a group that a leader left behind those batches fail that name a dropped family. */
  private void refuseDropped() {
    for (Iterator<Pending> left = group.iterator(); left.hasNext(); ) {
      Pending pending = left.next();
      synchronized (pending) {
        if (pending.cancelled || !active.has(pending.batch)) {
          pending.failure = new ClosedException("a family of the batch, which was dropped,");
          pending.done = true;
          left.remove();
        }
      }
    }
  }

  /** Returns when everything sealed is in tables. */
  public void awaitSealed() throws InterruptedException {
    awaitFlushed(0);
  }

  /** Says that a version was installed, so that writers that wait look again. */
  public void signal() {
    flushLock.lock();
    try {
      flushChanged.signalAll();
    } finally {
      flushLock.unlock();
    }
  }

  /** Says that a plan failed, so that writers do not wait for merges in vain. */
  public void mergeFailed(Throwable cause) {
    flushLock.lock();
    try {
      mergeProblem = cause;
      mergeFailures++;
      flushChanged.signalAll();
    } finally {
      flushLock.unlock();
    }
  }

  /**
   * Takes no more writes, flushes what there is unless the store is read-only. Idempotent.
   *
   * @throws DiskFullException if there was no room to flush entries without a log record: they are
   *     lost. What has a log record is recovered by the next opening.
   */
  @Override
  public void close() throws IOException {
    if (closing) {
      return;
    }
    closing = true;
    signal();
    RuntimeException problem = null;
    lock.lock();
    try {
      problem = flushLast();
    } finally {
      lock.unlock();
      flusher.close();
    }
    try (wal) {
      for (Sealed left : sealed) {
        left.release();
        left.writer().close();
      }
    }
    if (problem != null) {
      context.listener().troubled("what is in the log was not flushed", problem);
      if (sealed.stream().anyMatch(Sealed::unlogged)) {
        throw problem;
      }
    }
  }

  /** Flushes at the end; returns why there was no room for that, or null. The lock is held. */
  private RuntimeException flushLast() {
    if (failure != null) {
      return null;
    }
    try {
      if (!active.isEmpty()) {
        sealLast();
      }
      awaitAllFlushed();
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
    gather();
    RuntimeException problem = commit();
    for (Pending pending : group) {
      pending.failure = problem;
      pending.done = true;
    }
    group.clear();
    groupBytes = 0;
    conditional = false;
    touched.clear();
    active.clearWanted();
  }

  /** Adds to the group what is queued. */
  private void gather() {
    for (Pending next = queue.peek(); next != null; next = queue.peek()) {
      synchronized (next) {
        long bytes = next.cancelled ? 0 : next.batch.bytes().length();
        // A batch that is too large for the memory must not take others down with it.
        if (!group.isEmpty() && groupBytes + bytes > GROUP_BYTES) {
          return;
        }
        if (!next.cancelled && !fitsConditions(next)) {
          return;
        }
        queue.remove();
        if (!next.cancelled) {
          add(next, bytes);
        }
      }
    }
  }

  /**
   * True if the batch may join the group although one of them has a condition. A condition is asked
   * before the group is written, so no batch before it may touch its key; and batches without a log
   * record are written last, so in such a group all or none have one.
   */
  private boolean fitsConditions(Pending next) {
    if (group.isEmpty()) {
      conditional = next.condition != null;
      return true;
    }
    if (next.condition == null && !conditional) {
      return true;
    }
    if (!conditional) {
      conditional = true;
      group.forEach(earlier -> touched.add(earlier.batch, reader));
    }
    boolean unlogged = next.durability == Durability.NONE;
    for (Pending earlier : group) {
      if ((earlier.durability == Durability.NONE) != unlogged) {
        return false;
      }
    }
    return next.condition == null || !touched.mayContain(next.condition.key());
  }

  /** Adds a batch to the group, or refuses it. */
  private void add(Pending next, long bytes) {
    try {
      active.want(next.batch);
      group.add(next);
      if (conditional) {
        touched.add(next.batch, reader);
      }
      groupBytes += bytes;
    } catch (ClosedException e) {
      next.failure = e;
      next.done = true;
    }
  }

  /** Commits the group; returns why it failed, or null. */
  private RuntimeException commit() throws InterruptedException {
    boolean started = false;
    try {
      checkWritable();
      checkReserve("a write");
      makeRoom();
      group.removeIf(pending -> !pending.begin() || !pending.passes());
      started = true;
      log();
      insert();
      long bytes = 0;
      for (Pending pending : group) {
        bytes += pending.batch.bytes().length();
      }
      context.listener().accepted(bytes);
      return null;
    } catch (ReadOnlyException | DiskFullException e) {
      return e;
    } catch (RuntimeException e) {
      return started ? fail("a group could not be written", e) : e;
    } catch (Error e) {
      return fail("a group could not be written", e);
    }
  }

  private void checkWritable() {
    if (closing) {
      throw new ClosedException("the store");
    }
    ReadOnlyException reason = failure;
    if (reason != null) {
      throw new ReadOnlyException("an earlier write failed", reason);
    }
  }

  /** What the reserve gave up is for merges, which make room again. */
  private void checkReserve(String what) {
    if (context.reserve().released() && !context.reserve().ensure()) {
      long free = -1;
      try {
        free = context.disk().freeBytes();
      } catch (IOException e) {
        context.listener().troubled("the free space is unknown", e);
      }
      throw new DiskFullException(
          what + " must leave room for merges, which", context.reserve().wantedBytes(), free, null);
    }
  }

  private void makeRoom() throws InterruptedException {
    long started = 0;
    try {
      holdBack();
      if (!active.isEmpty()
          && (active.usedBytes() + active.wantedBytes() > context.memtableBytes()
              || active.hasTooManyRanges())) {
        if (waiting() >= MAX_SEALED) {
          started = context.workers().nanoTime();
          awaitFlushed(MAX_SEALED - 1);
        }
        seal();
      }
      while (!active.ensure()) {
        started = started == 0 ? context.workers().nanoTime() : started;
        makeMemory();
      }
    } finally {
      if (started != 0) {
        context.listener().stalled(context.workers().nanoTime() - started);
      }
    }
  }

  /** Seals whose memtables are not yet in tables. */
  private long waiting() {
    flushLock.lock();
    try {
      return sealedCount - flushedCount;
    } finally {
      flushLock.unlock();
    }
  }

  /** The ledger is full: what is sealed is waited for, what is active is sealed. */
  private void makeMemory() throws InterruptedException {
    context.pool().trim();
    int waiting = (int) waiting();
    if (waiting > 0) {
      awaitFlushed(waiting - 1);
    } else if (!active.isEmpty()) {
      seal();
      awaitFlushed(0);
    } else {
      throw new IllegalArgumentException(
          "a batch that needs "
              + active.wantedBytes()
              + " bytes does not fit what is left of the memory budget; give the store more memory"
              + " or write smaller batches");
    }
  }

  /** The group waits as long as its bytes cost at the present debt; stopping is the last resort. */
  private void holdBack() throws InterruptedException {
    if (runsOverdue() >= WriteDebt.STOP_RUNS) {
      awaitMerges();
    }
    long started = context.workers().nanoTime();
    long left = delay.book(started, groupBytes, debt());
    if (left == 0) {
      return;
    }
    flushLock.lock();
    try {
      long end = started + left;
      while (left > 0 && failure == null && !closing && WriteDelay.nanosPerByte(debt()) > 0) {
        flushChanged.awaitNanos(left);
        left = end - context.workers().nanoTime();
      }
    } finally {
      flushLock.unlock();
      context.listener().stalled(context.workers().nanoTime() - started);
    }
  }

  /** How near writers are to stopping, for flushes or for merges. */
  private double debt() {
    double debt = Math.min(MOST_BACKLOG_DEBT, context.backlogDebt().getAsDouble());
    for (WrittenFamily family : active.wanted()) {
      debt = Math.max(debt, family.debt());
    }
    if (sealedCount - flushedCount >= MAX_SEALED) {
      double fill = (double) active.usedBytes() / context.memtableBytes();
      debt = Math.max(debt, WriteDelay.ofLastMemtable(Math.min(1, fill)));
    }
    return debt;
  }

  private void awaitMerges() throws InterruptedException {
    long started = context.workers().nanoTime();
    context.listener().waitsForMerges();
    flushLock.lock();
    try {
      long failures = mergeFailures;
      while (runsOverdue() >= WriteDebt.STOP_RUNS && failure == null && !closing) {
        if (mergeFailures >= failures + MERGE_FAILURES) {
          throw new StalledException("writes wait for merges, and these fail", mergeProblem);
        }
        if (mergesPaused) {
          throw new StalledException(
              "writes wait for merges", new IllegalStateException("compaction is paused"));
        }
        flushChanged.await();
      }
    } finally {
      flushLock.unlock();
      context.listener().stalled(context.workers().nanoTime() - started);
    }
  }

  /** Says whether compaction is paused, so that writers do not wait for merges in vain. */
  public void mergesPaused(boolean paused) {
    flushLock.lock();
    try {
      mergesPaused = paused;
      flushChanged.signalAll();
    } finally {
      flushLock.unlock();
    }
  }

  /** By how much writers are held back now, in nanoseconds for each byte. */
  public double delayNanosPerByte() {
    return delay.nanosPerByte();
  }

  /** Of the family in the group that has the most. */
  private long runsOverdue() {
    long most = Long.MIN_VALUE;
    for (WrittenFamily family : active.wanted()) {
      most = Math.max(most, family.runsOverdue());
    }
    return most;
  }

  private void log() {
    logged.clear();
    boolean sync = false;
    for (Pending pending : group) {
      if (pending.durability != Durability.NONE) {
        logged.add(pending.batch);
        sync |= pending.durability == Durability.SYNC;
      }
    }
    if (logged.isEmpty()) {
      return;
    }
    try {
      wal.append(lastSequence + 1, logged);
      if (sync) {
        wal.sync();
      }
    } catch (IOException e) {
      throw fail("the log could not be written", e);
    }
  }

  /** Batches with a log record come first, as their sequence numbers follow one another. */
  private void insert() {
    long sequence = lastSequence;
    for (int pass = 0; pass < 2; pass++) {
      for (Pending pending : group) {
        if ((pending.durability == Durability.NONE) == (pass == 1)) {
          unlogged |= pass == 1;
          sequence = active.insert(pending.batch, sequence);
        }
      }
    }
    lastSequence = sequence;
    visible = sequence;
  }

  /** Seals the active memtables; a new log takes over. The lock is held. */
  private void seal() {
    try {
      wal.sync();
      long number = context.manifest().nextNumber();
      WalWriter next = WalWriter.create(context.disk(), number);
      handToFlusher(wal.exchange(next), number);
    } catch (OutOfFilesException e) {
      throw new UncheckedIOException("a new log could not be started", e);
    } catch (IOException e) {
      throw fail("a new log could not be started", e);
    }
  }

  /** As {@link #seal}, for the end: the log has no successor. */
  private void sealLast() {
    try {
      wal.sync();
      handToFlusher(wal.present(), context.manifest().nextNumber());
    } catch (IOException e) {
      throw fail("the log could not be synced", e);
    }
  }

  private void handToFlusher(WalWriter log, long walFloor) {
    flushLock.lock();
    try {
      sealed.add(new Sealed(active.seal(), log.name(), log, walFloor, lastSequence, unlogged));
      sealedCount++;
      unlogged = false;
    } finally {
      flushLock.unlock();
    }
    flusher.wake();
  }

  /** Waits until the memtables of all but so many of the seals so far are in tables. */
  private void awaitFlushed(int left) throws InterruptedException {
    flushLock.lock();
    try {
      long target = sealedCount - left;
      // An attempt under way may have begun before there was room.
      long stale = flushAttempts + (flushing ? 1 : 0);
      if (flushedCount < target && flushProblem != null) {
        flushWanted = true;
        flusher.wake();
      }
      while (flushedCount < target) {
        ReadOnlyException reason = failure;
        if (reason != null) {
          throw new ReadOnlyException("a flush failed", reason);
        }
        if (flushProblem != null && flushAttempts > stale) {
          throw flushProblem;
        }
        flushChanged.await();
      }
    } finally {
      flushLock.unlock();
    }
  }

  /** As {@link #awaitFlushed}; an interrupt is kept for later. */
  private void awaitAllFlushed() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          awaitFlushed(0);
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

  /** Turns the store read-only, unless it is. */
  public ReadOnlyException fail(String what, Throwable cause) {
    ReadOnlyException reason = new ReadOnlyException(what, cause);
    flushLock.lock();
    try {
      if (failure == null) {
        failure = reason;
        context.listener().failed(what, cause);
      }
      flushChanged.signalAll();
    } finally {
      flushLock.unlock();
    }
    return reason;
  }

  /** Flushes the oldest sealed memtable, unless there is none or one that failed rests. */
  private long flushStep() {
    Sealed next;
    flushLock.lock();
    try {
      if (sealed.isEmpty() || failure != null) {
        return Workers.UNTIL_WOKEN;
      }
      long rest = flushPauseStart + flushPauseNanos - context.workers().nanoTime();
      if (flushPauseNanos > 0 && rest > 0 && !flushWanted) {
        return rest;
      }
      flushWanted = false;
      flushing = true;
      next = sealed.peek();
    } finally {
      flushLock.unlock();
    }
    RuntimeException problem = null;
    try {
      checkReserve("a flush");
      flush(next);
    } catch (DiskFullException e) {
      problem = e;
    } catch (OutOfFilesException e) {
      problem = new UncheckedIOException("a memtable could not be flushed", e);
    } catch (IOException | RuntimeException | Error e) {
      fail("a memtable could not be flushed", e);
      return Workers.UNTIL_WOKEN;
    }
    endAttempt(problem);
    return 0;
  }

  private void endAttempt(RuntimeException problem) {
    if (problem != null) {
      context.listener().troubled("a memtable could not be flushed yet", problem);
    }
    flushLock.lock();
    try {
      flushing = false;
      flushAttempts++;
      flushProblem = problem;
      flushPauseNanos =
          problem == null
              ? 0
              : Math.min(Math.max(FIRST_PAUSE_NANOS, 2 * flushPauseNanos), MAX_PAUSE_NANOS);
      flushPauseStart = context.workers().nanoTime();
      flushChanged.signalAll();
    } finally {
      flushLock.unlock();
    }
  }

  private void flush(Sealed oldest) throws IOException {
    long bytes = 0;
    Map<Integer, WrittenFamily> families = new HashMap<>();
    oldest.memtables().forEach(one -> families.put(one.family().number(), one.family()));
    try (FlushedRuns runs =
        new FlushedRuns(context.disk(), number -> context.outputs(families.get(number).sizes()))) {
      for (ActiveMemtables.Sealed one : oldest.memtables()) {
        if (!one.family().dropped()) {
          runs.add(one.family().number(), one.memtable(), context.snapshots());
        }
      }
      runs.syncNames();
      for (Map.Entry<Integer, Long> written : install(oldest, families, runs).entrySet()) {
        families.get(written.getKey()).flushed(written.getValue());
        bytes += written.getValue();
      }
    }
    context.listener().flushed(bytes);
    flushLock.lock();
    try {
      sealed.remove();
      flushedCount++;
      for (ActiveMemtables.Sealed one : oldest.memtables()) {
        one.family().memtables().dropOldest(one.memtable());
      }
      oldest.release();
      flushChanged.signalAll();
    } finally {
      flushLock.unlock();
    }
    removeLog(oldest);
    context.reserve().ensure();
  }

  private Map<Integer, Long> install(
      Sealed oldest, Map<Integer, WrittenFamily> families, FlushedRuns runs) throws IOException {
    VersionEdit marks =
        VersionEdit.builder()
            .walFloor(oldest.walFloor())
            .lastSequence(oldest.lastSequence())
            .build();
    installing.lock();
    try {
      return runs.install(context.manifest(), marks, number -> !families.get(number).dropped());
    } finally {
      installing.unlock();
    }
  }

  /** Nothing needs it any more; if it stays, the next opening removes it. */
  private void removeLog(Sealed flushed) {
    try {
      flushed.writer().close();
      context.disk().delete(flushed.log());
    } catch (IOException e) {
      context.listener().troubled(flushed.log() + " was not removed", e);
    }
  }
}
