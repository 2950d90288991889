// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
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
 * Asks the policy for plans and carries them out, on threads of its own. Planning and claiming are
 * one step under one lock; the work itself runs outside it. Safe to share between threads.
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
  private final List<Thread> threads = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // All below: guarded by lock.
  private final Planner planner;
  private boolean paused;
  private volatile boolean closed;
  private long versionsSeen;
  private long pauseNanos;
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
    this.planner =
        new Planner(manifest, context.tables(), spec, requests, journal, maxTransientBytes);
    requests.signalTo(this::signalFromRead);
  }

  /** Starts the threads, at least one. */
  public void start(int slots, String name) {
    for (int i = 0; i < slots; i++) {
      Thread thread = new Thread(this::work, name + "-merge-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  /** Says that a version was installed, so that the policy is asked again. */
  public void signal() {
    lock.lock();
    try {
      versionsSeen++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
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
      versionsSeen++;
      changed.signalAll();
    }
  }

  /** Replaces the policy; merges under way go on to their end. */
  public void policy(PolicySpec next) {
    lock.lock();
    try {
      planner.policy(next);
      versionsSeen++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Starts no further plans until {@link #resume}. Plans under way go on. */
  public void pause() {
    lock.lock();
    try {
      paused = true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends {@link #pause}. */
  public void resume() {
    lock.lock();
    try {
      paused = false;
      versionsSeen++;
      changed.signalAll();
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
    Job job;
    lock.lock();
    try {
      failure = null;
      long seen = versionsSeen;
      job = nextMerge();
      rethrowFailure();
      if (job == null) {
        return seen != versionsSeen;
      }
    } finally {
      lock.unlock();
    }
    run(job);
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
    Job job;
    lock.lock();
    try {
      job = begin(plan);
    } finally {
      lock.unlock();
    }
    if (job != null) {
      merge(job);
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
      while (!closed && (!planner.idle() || planner.next().isPresent())) {
        rethrowFailure();
        noteRequests();
        changed.await();
      }
      rethrowFailure();
    } finally {
      lock.unlock();
    }
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
      versionsSeen++;
      changed.signalAll();
      try {
        awaitIdle();
      } finally {
        planner.endMajor();
        versionsSeen++;
        changed.signalAll();
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
      versionsSeen++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Lets plans under way end at their next step, and stops the threads. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void work() {
    while (true) {
      Job job;
      lock.lock();
      try {
        job = awaitJob();
      } catch (InterruptedException e) {
        return;
      } finally {
        lock.unlock();
      }
      if (job == null) {
        return;
      }
      run(job);
    }
  }

  /** Runs a claimed merge; a failure is noted. */
  private void run(Job job) {
    try {
      merge(job);
    } catch (IOException | RuntimeException | Error e) {
      failed(job.plan().reason().sentence(), e);
    }
  }

  /** Notes that a plan failed; the next waits a while. */
  private void failed(String what, Throwable problem) {
    lock.lock();
    try {
      failure = problem;
      pauseNanos = Math.min(Math.max(FIRST_PAUSE_NANOS, pauseNanos * 2), MAX_PAUSE_NANOS);
      versionsSeen++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    listener.failed(what, problem);
  }

  /** Notes that a plan was carried out. The lock is held. */
  private void succeeded() {
    failure = null;
    pauseNanos = 0;
    versionsSeen++;
    changed.signalAll();
  }

  /** The next merge, claimed; null once closed. The lock is held. */
  private Job awaitJob() throws InterruptedException {
    while (!closed) {
      if (pauseNanos > 0) {
        long left = pauseNanos;
        while (left > 0 && pauseNanos > 0 && !closed) {
          left = changed.awaitNanos(left);
        }
      }
      long seen = versionsSeen;
      if (!paused && !closed) {
        Job job = nextMerge();
        if (job != null) {
          return job;
        }
        if (seen == versionsSeen) {
          // The policy wants nothing: who waits for that is told.
          changed.signalAll();
        }
      }
      noteRequests();
      while (seen == versionsSeen && !closed) {
        changed.await();
      }
    }
    return null;
  }

  /**
   * Asks the policy. A merge is claimed; another plan is carried out at once, which counts as a new
   * version. A failure is noted. The lock is held.
   */
  private Job nextMerge() {
    String what = "no plan could be made";
    try {
      Optional<Plan> plan = planner.next();
      if (plan.isEmpty()) {
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
   * Checks a plan; claims a merge, and carries out any other, as that is one edit, and no plan may
   * see it half done. The lock is held.
   *
   * @return the merge, to be run; null for another plan
   */
  private Job begin(Plan plan) throws IOException {
    planner.check(plan);
    if (plan instanceof Plan.Merge merge) {
      return planner.claim(merge);
    }
    listener.rearranged(plan, planner.rearrange(plan));
    succeeded();
    return null;
  }

  /** Runs a claimed merge outside the lock, to its end or until the store closes. */
  private void merge(Job job) throws IOException {
    boolean done = false;
    try {
      new MergeJob(context, manifest, job, listener, () -> closed).run();
      done = true;
    } catch (MergeJob.StoppedException e) {
      // What is durable stays, and is planned again after opening.
    } catch (DiskFullException e) {
      if (!context.reserve().release()) {
        throw e;
      }
      // What it wrote is gone again; with the reserve the next attempt gets further.
      listener.failed(job.plan().reason().sentence(), e);
      done = true;
    } finally {
      lock.lock();
      try {
        planner.release(job);
        if (done) {
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
