// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.DiskFullException;
import io.coppice.base.Workers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The merges under way, and the workers that carry them out, one for each slot, one step at a time.
 * What is under way is guarded by the compactor's lock; the steps themselves run outside it.
 *
 * <p>What ends a merge early is always the same: its step ends, its claims are given back, and what
 * it left is planned again.
 */
final class MergeSlots implements AutoCloseable {

  /** Where free slots get merges from, and where they are told how these end. */
  interface Source {

    /**
     * For how many nanoseconds there is nothing to ask for; 0 if there may be. The lock is held.
     */
    long rest();

    /** A merge for a free slot, which {@link #begin} gave, or null. The lock is held. */
    MergeJob next();

    /** A merge is no longer under way; good if it did not fail. The lock is held. */
    void ended(MergeJob merge, boolean good);

    /** A merge failed. */
    void failed(MergeJob merge, Throwable problem);
  }

  private final Workers workers;
  private final ReentrantLock lock;
  private final Source source;

  // All below: guarded by lock.
  private final List<Slot> slots = new ArrayList<>();
  private final ArrayList<MergeJob> running = new ArrayList<>();

  /** Of those running the parts of merges that wait for a slot. */
  private final ArrayList<MergeJob> ready = new ArrayList<>();

  private volatile int runningMerges;

  /**
   * No slots yet.
   *
   * @param lock the compactor's
   */
  MergeSlots(Workers workers, ReentrantLock lock, Source source) {
    this.workers = workers;
    this.lock = lock;
    this.source = source;
  }

  /** Starts so many workers. The lock is held. */
  void start(int count, String name) {
    for (int i = 0; i < count; i++) {
      slots.add(new Slot(name + "-merge-" + i));
    }
  }

  /** Lets free slots ask again. The lock is held. */
  void wake() {
    for (int i = 0; i < slots.size(); i++) {
      slots.get(i).wake();
    }
  }

  /** All merges under way. The lock is held. */
  List<MergeJob> running() {
    return running;
  }

  /** True if there is no slot without a merge. The lock is held. */
  boolean areBusy() {
    return running.size() >= slots.size();
  }

  /** How many merges can begin now, at least one. The lock is held. */
  int free() {
    return Math.max(1, slots.size() - running.size());
  }

  /**
   * Takes on the parts of a merge, which are claimed; they wait for free slots, but for the one
   * returned, which the caller carries out. If it throws, no part has been added. The lock is held.
   */
  MergeJob begin(List<Job> parts) {
    List<MergeJob> begun = new ArrayList<>(parts.size());
    for (Job part : parts) {
      begun.add(new MergeJob(part, () -> runningMerges));
    }
    running.ensureCapacity(running.size() + begun.size());
    ready.ensureCapacity(ready.size() + begun.size());
    // The workers look once the lock is free.
    wake();
    // No step from here on allocates: a merge that is half begun would never end.
    for (int i = 0; i < begun.size(); i++) {
      running.add(begun.get(i));
      ready.add(begun.get(i));
    }
    runningMerges = running.size();
    return ready.remove(0);
  }

  /** Tells merges to end; those that no slot has begun have ended then. The lock is held. */
  void end(Predicate<MergeJob> which, MergeJob.End how) {
    for (MergeJob merge : List.copyOf(running)) {
      if (which.test(merge)) {
        merge.end(how);
        if (ready.remove(merge)) {
          giveUp(merge);
        }
      }
    }
  }

  /** Runs a step as {@link #stepOrThrow}; of a failure the source is told. */
  boolean step(MergeJob merge) {
    try {
      return stepOrThrow(merge);
    } catch (IOException | RuntimeException | Error e) {
      source.failed(merge, e);
      return false;
    }
  }

  /**
   * Runs a step of a merge under way, outside the lock. If that was the last, or the merge is to
   * end, or it fails, its claims are given back.
   *
   * @return true if the merge goes on
   */
  boolean stepOrThrow(MergeJob merge) throws IOException {
    boolean more = false;
    boolean good = false;
    try {
      more = merge.step() && !merge.ending();
      good = true;
    } catch (DiskFullException e) {
      if (!merge.job().planner().context().reserve().release()) {
        throw e;
      }
      // What it wrote is gone again; with the reserve the next attempt gets further.
      merge.job().planner().listener().failed(merge.job().plan().reason().sentence(), e);
      good = true;
    } finally {
      if (!more) {
        finish(merge, good);
      }
    }
    return more;
  }

  /** Ends a merge between two of its steps. */
  private void giveUp(MergeJob merge) {
    try {
      finish(merge, true);
    } catch (IOException | RuntimeException | Error e) {
      source.failed(merge, e);
    }
  }

  /** Closes a merge and gives its claims back. */
  private void finish(MergeJob merge, boolean good) throws IOException {
    try (merge) {
      assert running.contains(merge) : "a merge ends once";
    } finally {
      lock.lock();
      try {
        running.remove(merge);
        runningMerges = running.size();
        try {
          merge.job().planner().release(merge.job());
        } finally {
          source.ended(merge, good);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Stops the workers and gives up what they carry out. The lock is not held. Idempotent. */
  @Override
  public void close() {
    for (Slot slot : slots) {
      slot.close();
    }
  }

  /** A worker, and the merge it carries out. */
  private final class Slot implements AutoCloseable {
    private final Workers.Worker worker;

    /** Used by the worker, and by who has closed it. */
    private MergeJob merge;

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
          long rest = source.rest();
          if (rest > 0 && ready.isEmpty()) {
            return rest;
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
        more = MergeSlots.this.step(merge);
      } finally {
        if (!more) {
          // It has ended, also where nobody could be told of it.
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
