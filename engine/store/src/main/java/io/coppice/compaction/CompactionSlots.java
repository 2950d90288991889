// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.DiskFullException;
import io.coppice.base.thread.Workers;
import io.coppice.io.disk.DiskSpaceReserve;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Running merges and their workers, one for each slot. A worker carries out one step at a time. The
 * compactor's lock guards the lists; the steps run outside it.
 *
 * <p>Every early end of a merge works the same way: its step ends, its claims are released, and the
 * policy plans its remaining work again.
 */
final class CompactionSlots implements AutoCloseable {

  /** Source of merges for free slots, and receiver of their results. */
  interface Source {

    /**
     * Returns the nanoseconds until a slot should ask for a plan: 0 for now, {@link
     * Workers#UNTIL_WOKEN} to wait for the next event. The caller holds the lock.
     */
    long nextPlanDelayNanos();

    /** Returns a merge for a free slot, from {@link #begin}, or null. The caller holds the lock. */
    CompactionJob next();

    /**
     * Reports that a merge has ended. The caller holds the lock.
     *
     * @param good whether it ended without a failure
     */
    void ended(CompactionJob merge, boolean good);

    /** Reports that a merge failed. The caller does not hold the lock. */
    void failed(CompactionJob merge, Throwable problem);
  }

  /** Time in nanoseconds after which a slot that waits for disk space checks it again. */
  private static final long SPACE_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Workers workers;
  private final ReentrantLock lock;
  private final Source source;

  // Guarded by the lock, down to ready. Callers hold it under another name, so the checker cannot
  // follow.
  private final List<Slot> slots = new ArrayList<>();
  private final ArrayList<CompactionJob> running = new ArrayList<>();

  /** Merges and parts of merges that wait for a slot, first come first served. */
  private final ArrayList<CompactionJob> ready = new ArrayList<>();

  private volatile int runningMerges;

  /**
   * Creates an instance without slots.
   *
   * @param lock the compactor's lock
   */
  CompactionSlots(Workers workers, ReentrantLock lock, Source source) {
    this.workers = workers;
    this.lock = lock;
    this.source = source;
  }

  /** Starts {@code count} workers, one for each slot. The caller holds the lock. */
  void start(int count, String name) {
    for (int i = 0; i < count; i++) {
      slots.add(new Slot(name + "-merge-" + i));
    }
  }

  /**
   * Wakes the free slots, so that they ask {@link Source} for merges. The caller holds the lock.
   */
  void wake() {
    for (int i = 0; i < slots.size(); i++) {
      slots.get(i).wake();
    }
  }

  /** Returns all running merges. The caller holds the lock. */
  List<CompactionJob> running() {
    return running;
  }

  /** Returns whether every slot has a merge. The caller holds the lock. */
  boolean areBusy() {
    return running.size() >= slots.size();
  }

  /** Returns the number of merges that can begin now, at least one. The caller holds the lock. */
  int free() {
    return Math.max(1, slots.size() - running.size());
  }

  /**
   * Adds the claimed parts of a merge. They wait for free slots, except the returned one, which the
   * caller carries out. If it throws, it has added no part. The caller holds the lock.
   */
  CompactionJob begin(List<Subcompaction> parts) {
    List<CompactionJob> begun = new ArrayList<>(parts.size());
    for (Subcompaction part : parts) {
      begun.add(new CompactionJob(part, () -> runningMerges));
    }
    running.ensureCapacity(running.size() + begun.size());
    ready.ensureCapacity(ready.size() + begun.size());
    // The workers look once the lock is free.
    wake();
    // The rest allocates nothing, because a merge that is half begun would never end.
    for (int i = 0; i < begun.size(); i++) {
      running.add(begun.get(i));
      ready.add(begun.get(i));
    }
    runningMerges = running.size();
    return ready.remove(0);
  }

  /**
   * Requests an early end of some merges. A merge that waits for a slot ends at once. The caller
   * holds the lock.
   */
  void end(Predicate<CompactionJob> which, CompactionJob.End how) {
    for (CompactionJob merge : List.copyOf(running)) {
      if (which.test(merge)) {
        merge.end(how);
        if (ready.remove(merge)) {
          giveUp(merge);
        }
      }
    }
  }

  /**
   * Runs a step as {@link #stepOrThrow} does, but reports a failure to the {@link Source} and
   * returns false.
   */
  boolean step(CompactionJob merge) {
    try {
      return stepOrThrow(merge);
    } catch (IOException | RuntimeException | Error e) {
      source.failed(merge, e);
      return false;
    }
  }

  /**
   * Runs a step of a running merge. The caller does not hold the lock. After the last step, an
   * early end or a failure, it releases the claims.
   *
   * @return whether the merge continues
   */
  boolean stepOrThrow(CompactionJob merge) throws IOException {
    boolean more = false;
    boolean good = false;
    try {
      more = merge.step() && !merge.ending();
      good = true;
    } catch (DiskFullException e) {
      // The outputs of the step go first: the reserve compares the free space later.
      try {
        merge.close();
      } catch (IOException | RuntimeException | Error again) {
        e.addSuppressed(again);
      }
      if (!reserve(merge).release() && !othersRun()) {
        throw e;
      }
      // With the space of the reserve, or of the other merges, the next attempt gets further.
      merge
          .subcompaction()
          .planner()
          .listener()
          .failed(merge.subcompaction().plan().reason().sentence(), e);
      good = true;
    } finally {
      if (!more) {
        finish(merge, good);
      }
    }
    return more;
  }

  private static DiskSpaceReserve reserve(CompactionJob merge) {
    return merge.subcompaction().planner().context().reserve();
  }

  /** Returns whether at least two merges have a slot. */
  private boolean othersRun() {
    lock.lock();
    try {
      return running.size() - ready.size() > 1;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether a merge must wait because another one uses the space of the reserve. On a full
   * disk merges run one at a time: several would each take a part of that space, and none could
   * end. The caller holds the lock.
   */
  private boolean othersNeedSpace() {
    return running.size() > ready.size() && reserve(running.get(0)).released();
  }

  /**
   * Ends a merge between two of its steps; its remaining work is planned again. Reports a failure
   * to the {@link Source}.
   */
  private void giveUp(CompactionJob merge) {
    try {
      finish(merge, true);
    } catch (IOException | RuntimeException | Error e) {
      source.failed(merge, e);
    }
  }

  /** Closes a merge and releases its claims. */
  private void finish(CompactionJob merge, boolean good) throws IOException {
    try (merge) {
      assert running.contains(merge) : "a merge ends once";
    } finally {
      lock.lock();
      try {
        running.remove(merge);
        runningMerges = running.size();
        try {
          merge.subcompaction().planner().release(merge.subcompaction());
        } finally {
          source.ended(merge, good);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Stops the workers, waits for their current steps, and ends their merges early. The caller does
   * not hold the lock. Idempotent.
   */
  @Override
  public void close() {
    List<Slot> started;
    lock.lock();
    try {
      started = List.copyOf(slots);
    } finally {
      lock.unlock();
    }
    for (Slot slot : started) {
      slot.close();
    }
  }

  /** A worker with the merge it carries out. */
  private final class Slot implements AutoCloseable {
    private final Workers.Worker worker;

    /**
     * Current merge of the slot. Used by the worker and, after the worker's end, by the closing
     * thread.
     */
    private CompactionJob merge;

    Slot(String name) {
      worker = workers.start(name, this::step);
    }

    void wake() {
      worker.wake();
    }

    private long step() {
      if (merge == null) {
        lock.lock();
        try {
          long delayNanos = source.nextPlanDelayNanos();
          if (delayNanos > 0 && ready.isEmpty()) {
            return delayNanos;
          }
          if (othersNeedSpace()) {
            return SPACE_CHECK_NANOS;
          }
          merge = ready.isEmpty() ? source.next() : ready.remove(0);
          if (merge == null) {
            return 0;
          }
        } finally {
          lock.unlock();
        }
      }
      boolean more = false;
      try {
        more = CompactionSlots.this.step(merge);
      } finally {
        if (!more) {
          // The merge has ended, even if the report of that failed.
          merge = null;
        }
      }
      return 0;
    }

    @Override
    public void close() {
      worker.close();
      if (merge != null) {
        giveUp(merge);
        merge = null;
      }
    }
  }
}
