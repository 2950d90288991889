// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Workers;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ReadRequests;
import io.coppice.policy.Backlog;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Plan;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks the policy for plans and carries them out, by workers of its own, one for each slot.
 * Planning and claiming are one step under one lock; the work itself runs outside it, one step of a
 * merge at a time. Safe to share between threads.
 *
 * <p>What ends a merge early is always the same: its step ends, its claims are given back, and what
 * it left is planned again. So it is for a pause, another policy and closing.
 *
 * <p>A plan is carried out only if {@link io.coppice.policy.PlanCheck} accepts it against the very
 * Shape it was made from; what other plans install meanwhile cannot touch claimed tables.
 */
public final class Compactor implements AutoCloseable {

  /** First pause after a failure; it doubles up to {@link #MAX_PAUSE_NANOS}. */
  private static final long FIRST_PAUSE_NANOS = 100_000_000L;

  private static final long MAX_PAUSE_NANOS = 60_000_000_000L;

  private final Manifest manifest;
  private final MergeContext context;
  private final ReadRequests requests;
  private final CompactionListener listener;
  private final Workers workers;
  private final List<Slot> slots = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed;
  // All below: guarded by lock.
  private final Planner planner;
  private final List<MergeJob> running = new ArrayList<>();
  private boolean paused;
  private boolean closed;

  /** Counts whatever may change the policy's mind. */
  private long versionsSeen;

  /** The last count at which the policy wanted nothing. */
  private long settledAt = -1;

  private long pauseNanos;
  private long pauseStart;
  private Throwable failure;

  /**
   * Makes a compactor; {@link #start} begins the work.
   *
   * @param manifest where versions come from and edits go
   * @param context what merges need
   * @param spec names the policy that decides
   * @param requests what reads ask for
   * @param journal is told what the policy decides
   * @param maxTransientBytes by how much merges may fill the disk at any instant, readers that hold
   *     on to old tables apart
   */
  public Compactor(
      Manifest manifest,
      MergeContext context,
      PolicySpec spec,
      ReadRequests requests,
      DecisionJournal journal,
      long maxTransientBytes,
      CompactionListener listener) {
    this.manifest = manifest;
    this.context = context;
    this.requests = requests;
    this.listener = listener;
    this.workers = context.workers();
    this.changed = workers.condition(lock);
    this.planner =
        new Planner(manifest, context.tables(), spec, requests, journal, maxTransientBytes);
    requests.signalTo(this::signalFromRead);
  }

  /** Starts the workers, at least one. */
  public void start(int count, String name) {
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        slots.add(new Slot(name + "-merge-" + i));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Says that a version was installed, so that the policy is asked again. */
  public void signal() {
    lock.lock();
    try {
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Something may change the policy's mind. The lock is held. */
  private void changed() {
    versionsSeen++;
    changed.signalAll();
    slots.forEach(Slot::wake);
  }

  /** As {@link #signal}, but gives up rather than wait: the next read will try again. */
  private void signalFromRead() {
    if (lock.tryLock()) {
      try {
        noteRequests();
      } finally {
        lock.unlock();
      }
    }
  }

  /** What reads asked for counts as a new version. The lock is held. */
  private void noteRequests() {
    if (requests.fresh()) {
      requests.seen();
      changed();
    }
  }

  /** Replaces the policy; merges under way end at their next table, and it plans on from there. */
  public void policy(PolicySpec next) {
    lock.lock();
    try {
      planner.policy(next);
      running.forEach(merge -> merge.end(MergeJob.End.AFTER_TABLE));
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Starts no further plans until {@link #resume}. Merges under way end at their next table. */
  public void pause() {
    pause(MergeJob.End.AFTER_TABLE);
  }

  /** As {@link #pause}, but merges under way give up what is not yet a step. */
  public void cancel() {
    pause(MergeJob.End.NOW);
  }

  private void pause(MergeJob.End how) {
    lock.lock();
    try {
      paused = true;
      running.forEach(merge -> merge.end(how));
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no merge runs. */
  public void awaitPaused() throws InterruptedException {
    lock.lock();
    try {
      while (!running.isEmpty() && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends {@link #pause}. */
  public void resume() {
    lock.lock();
    try {
      paused = false;
      changed();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks the policy once and carries its plan out on this thread, also while paused. On a paused
   * compactor the caller alone decides when anything happens, so equal loads have equal plans.
   *
   * @return false if the policy wants nothing
   * @throws CorruptionException or another failure of the plan
   */
  public boolean carryOutNext() {
    MergeJob merge;
    lock.lock();
    try {
      failure = null;
      long seen = versionsSeen;
      merge = nextMerge();
      rethrowFailure();
      if (merge == null) {
        return seen != versionsSeen;
      }
    } finally {
      lock.unlock();
    }
    boolean more = true;
    while (more) {
      more = step(merge);
    }
    lock.lock();
    try {
      rethrowFailure();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Carries out a plan that the policy did not make, on this thread, also while paused.
   *
   * @throws IllegalArgumentException naming the law that the plan breaks; nothing has happened then
   * @throws CorruptionException or another failure of the plan
   */
  public void carryOut(Plan plan) throws IOException {
    MergeJob merge;
    lock.lock();
    try {
      planner.check(plan);
      merge = begin(plan);
    } finally {
      lock.unlock();
    }
    boolean more = merge != null;
    while (more) {
      more = stepOrThrow(merge);
    }
  }

  /** The store as the policy sees it now. */
  public Shape shape() {
    lock.lock();
    try {
      return planner.shape();
    } finally {
      lock.unlock();
    }
  }

  /** What the policy still wants done now. */
  public Backlog backlog() {
    lock.lock();
    try {
      return planner.backlog();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the policy wants nothing and nothing runs.
   *
   * @throws CorruptionException or another failure of the last plan, if plans fail
   */
  public void awaitIdle() throws InterruptedException {
    lock.lock();
    try {
      while (!closed && !idle()) {
        rethrowFailure();
        changed.await();
      }
      rethrowFailure();
    } finally {
      lock.unlock();
    }
  }

  /** True if nothing runs and the policy, asked since the last change, wants nothing. */
  private boolean idle() {
    noteRequests();
    if (!planner.idle()) {
      return false;
    }
    if (settledAt != versionsSeen && paused && !planner.wantsMore()) {
      settledAt = versionsSeen;
    }
    return settledAt == versionsSeen;
  }

  /**
   * Merges everything that is in tables now into one run, and waits for it. Flushes that arrive
   * meanwhile stay out of it.
   *
   * @throws CorruptionException or another failure of the last plan, if plans fail
   */
  public void everything() throws InterruptedException {
    lock.lock();
    try {
      while (planner.inMajor() && !closed) {
        changed.await();
      }
      planner.beginMajor();
      // What failed before is tried again at once.
      failure = null;
      pauseNanos = 0;
      changed();
      try {
        awaitIdle();
      } finally {
        planner.endMajor();
        changed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tries plans that failed again now, without a pause. */
  public void retry() {
    lock.lock();
    try {
      pauseNanos = 0;
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Gives up the unfinished steps of merges under way, and stops the workers. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      running.forEach(merge -> merge.end(MergeJob.End.NOW));
      changed();
    } finally {
      lock.unlock();
    }
    slots.forEach(Slot::close);
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
          long rest = rest();
          if (rest > 0) {
            return rest;
          }
          merge = nextMerge();
          if (merge == null) {
            return 0;
          }
        } finally {
          lock.unlock();
        }
      }
      if (!Compactor.this.step(merge)) {
        merge = null;
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

  /** How long the policy need not be asked; 0 if it is to be asked now. The lock is held. */
  private long rest() {
    noteRequests();
    if (closed || paused || settledAt == versionsSeen) {
      return Workers.UNTIL_WOKEN;
    }
    return pauseNanos == 0 ? 0 : Math.max(0, pauseStart + pauseNanos - workers.nanoTime());
  }

  /** Notes that a plan failed; the next waits a while. */
  private void failed(String what, Throwable problem) {
    lock.lock();
    try {
      failure = problem;
      pauseNanos = Math.min(Math.max(FIRST_PAUSE_NANOS, pauseNanos * 2), MAX_PAUSE_NANOS);
      pauseStart = workers.nanoTime();
      changed();
    } finally {
      lock.unlock();
    }
    listener.failed(what, problem);
  }

  /** Notes that a plan was carried out. The lock is held. */
  private void succeeded() {
    failure = null;
    pauseNanos = 0;
    changed();
  }

  /**
   * Asks the policy. A merge is claimed; another plan is carried out at once, which counts as a new
   * version. A failure is noted. The lock is held.
   */
  private MergeJob nextMerge() {
    String what = "no plan could be made";
    try {
      long seen = versionsSeen;
      Optional<Plan> plan = planner.next();
      if (plan.isEmpty()) {
        settledAt = seen;
        // Who waits for that is told.
        changed.signalAll();
        return null;
      }
      what = plan.get().reason().sentence();
      return begin(plan.get());
    } catch (IOException | RuntimeException | Error e) {
      failed(what, e);
      return null;
    }
  }

  /**
   * Claims a checked merge, and carries out any other checked plan, as that is one edit, and no
   * plan may see it half done. The lock is held.
   *
   * @return the merge, to be run; null for another plan
   */
  private MergeJob begin(Plan plan) throws IOException {
    if (plan instanceof Plan.Merge merge) {
      MergeJob claimed = new MergeJob(context, manifest, planner.claim(merge), listener);
      running.add(claimed);
      return claimed;
    }
    listener.rearranged(plan, planner.rearrange(plan));
    succeeded();
    return null;
  }

  /** As {@link #stepOrThrow}; a failure is noted. */
  private boolean step(MergeJob merge) {
    try {
      return stepOrThrow(merge);
    } catch (IOException | RuntimeException | Error e) {
      failed(merge.job().plan().reason().sentence(), e);
      return false;
    }
  }

  /**
   * Runs a step of a claimed merge, outside the lock. If that was the last, or the merge is to end,
   * or it fails, its claims are given back.
   *
   * @return true if the merge goes on
   */
  private boolean stepOrThrow(MergeJob merge) throws IOException {
    boolean more = false;
    boolean good = false;
    try {
      more = merge.step() && !merge.ending();
      good = true;
    } catch (DiskFullException e) {
      if (!context.reserve().release()) {
        throw e;
      }
      // What it wrote is gone again; with the reserve the next attempt gets further.
      listener.failed(merge.job().plan().reason().sentence(), e);
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
    } catch (IOException | RuntimeException e) {
      failed(merge.job().plan().reason().sentence(), e);
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
        planner.release(merge.job());
        if (good) {
          succeeded();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private void rethrowFailure() {
    if (failure instanceof RuntimeException runtime) {
      throw runtime;
    }
    if (failure instanceof IOException io) {
      throw new UncheckedIOException(io);
    }
    if (failure != null) {
      throw new IllegalStateException("a plan failed: " + failure.getMessage(), failure);
    }
  }
}
