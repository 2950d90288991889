// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Run;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.manifest.VersionEdit;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Decision;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCheck;
import io.coppice.policy.Policy;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks the policy for plans and carries them out, on threads of its own. Planning and claiming are
 * one step under one lock; the work itself runs outside it. Safe to share between threads.
 *
 * <p>A plan is carried out only if {@link PlanCheck} accepts it against the very Shape it was made
 * from; what other plans install meanwhile cannot touch claimed tables.
 */
public final class Compactor implements AutoCloseable {

  /** First pause after a failure; it doubles up to {@link #MAX_PAUSE_NANOS}. */
  private static final long FIRST_PAUSE_NANOS = 100_000_000L;

  private static final long MAX_PAUSE_NANOS = 60_000_000_000L;

  private static final int MAX_LEVEL = Version.MAX_LEVELS - 1;

  private final Manifest manifest;
  private final MergeContext context;
  private final DecisionJournal journal;
  private final CompactionListener listener;
  private final List<Thread> threads = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // All below: guarded by lock.
  private final Claims claims = new Claims();
  private PolicySpec spec;
  private Policy policy;
  private boolean paused;
  private volatile boolean closed;
  private long versionsSeen;
  private long pauseNanos;
  private Throwable failure;
  private long majorBoundary = NO_MAJOR;

  private static final long NO_MAJOR = -1;

  /** A plan with all that was fixed when it was claimed. */
  private record Job(Plan plan, List<Slice> slices, long run, Claims.Job claim) {}

  /**
   * Makes a compactor; {@link #start} begins the work.
   *
   * @param manifest where versions come from and edits go
   * @param context what merges need
   * @param spec names the policy that decides
   * @param journal is told what it decides
   */
  public Compactor(
      Manifest manifest,
      MergeContext context,
      PolicySpec spec,
      DecisionJournal journal,
      CompactionListener listener) {
    this.manifest = manifest;
    this.context = context;
    this.spec = spec;
    this.policy = spec.policy();
    this.journal = journal;
    this.listener = listener;
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

  /** Replaces the policy; merges under way go on to their end. */
  public void policy(PolicySpec next) {
    lock.lock();
    try {
      spec = next;
      policy = next.policy();
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
    Optional<Job> job;
    lock.lock();
    try {
      failure = null;
      job = nextJob();
      if (job.isEmpty() || carriedOutAtOnce(job.get())) {
        rethrowFailure();
        return job.isPresent();
      }
    } finally {
      lock.unlock();
    }
    Throwable problem = merge(job.get(), (Plan.Merge) job.get().plan());
    lock.lock();
    try {
      finish(job.get(), problem);
      rethrowFailure();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** What the policy still wants done now. */
  public Backlog backlog() {
    lock.lock();
    try {
      return policy.backlog(ShapeOf.of(manifest.current(), run -> true, claims));
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
      while (!closed && (!claims.jobs().isEmpty() || next().isPresent())) {
        rethrowFailure();
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
      while (majorBoundary != NO_MAJOR && !closed) {
        changed.await();
      }
      majorBoundary = manifest.current().marks().nextNumber();
      // What failed before is tried again at once.
      failure = null;
      pauseNanos = 0;
      versionsSeen++;
      changed.signalAll();
      try {
        awaitIdle();
      } finally {
        majorBoundary = NO_MAJOR;
        versionsSeen++;
        changed.signalAll();
      }
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
      Throwable problem = merge(job, (Plan.Merge) job.plan());
      lock.lock();
      try {
        finish(job, problem);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Gives the claims back. The lock is held. */
  private void finish(Job job, Throwable problem) {
    claims.release(job.claim());
    ended(problem);
  }

  /** Notes how the last plan went. The lock is held. */
  private void ended(Throwable problem) {
    versionsSeen++;
    failure = problem;
    pauseNanos =
        problem == null
            ? 0
            : Math.min(Math.max(FIRST_PAUSE_NANOS, pauseNanos * 2), MAX_PAUSE_NANOS);
    changed.signalAll();
  }

  /** The next job, claimed; null once closed. The lock is held. */
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
        Optional<Job> job = nextJob();
        if (job.isPresent() && carriedOutAtOnce(job.get())) {
          continue;
        }
        if (job.isPresent()) {
          return job.get();
        }
        changed.signalAll();
      }
      while (seen == versionsSeen && !closed) {
        changed.await();
      }
    }
    return null;
  }

  /** Carries out a plan that touches metadata alone; false for a merge. The lock is held. */
  private boolean carriedOutAtOnce(Job job) {
    if (job.plan() instanceof Plan.Move move) {
      finish(job, move(job, move));
      return true;
    }
    return false;
  }

  /** Asks the policy and claims what it wants; a failure is noted. The lock is held. */
  private Optional<Job> nextJob() {
    String what = "no plan could be made";
    try {
      Optional<Plan> plan = next();
      if (plan.isEmpty()) {
        return Optional.empty();
      }
      what = plan.get().reason().sentence();
      return Optional.of(claim(plan.get()));
    } catch (IOException | RuntimeException | Error e) {
      ended(e);
      listener.failed(what, e);
      return Optional.empty();
    }
  }

  /** Asks the policy. The lock is held. */
  private Optional<Plan> next() {
    Version version = manifest.current();
    Budget budget = Budget.unlimited();
    if (majorBoundary == NO_MAJOR) {
      Shape whole = ShapeOf.of(version, run -> true, claims);
      Optional<Plan> plan = policy.next(whole, budget);
      journal.note(spec, Decision.Question.NEXT, whole, budget, plan);
      return plan;
    }
    Set<Long> late = new HashSet<>();
    for (Run run : version.levels().get(0).runs()) {
      if (run.id() >= majorBoundary) {
        late.add(run.id());
      }
    }
    Shape shape = ShapeOf.of(version, run -> !late.contains(run.id()), claims);
    Optional<Plan> plan = policy.everything(shape, budget);
    journal.note(spec, Decision.Question.EVERYTHING, shape, budget, plan);
    return plan;
  }

  /** Checks a plan, gives a new run its place, and takes the tables. The lock is held. */
  private Job claim(Plan plan) throws IOException {
    Version version = manifest.current();
    PlanCheck.check(ShapeOf.of(version, run -> true, claims), plan, Budget.unlimited(), MAX_LEVEL);
    Map<Long, Slice> byId = new LinkedHashMap<>();
    for (Slice slice : version.slices()) {
      byId.put(slice.id(), slice);
    }
    List<Slice> slices = new ArrayList<>();
    Set<Long> tables = new HashSet<>();
    byte[] low = null;
    byte[] high = null;
    for (long id : plan.slices()) {
      Slice slice = byId.get(id);
      slices.add(slice);
      tables.add(slice.table().number());
      low = low == null || Arrays.compareUnsigned(slice.low(), low) < 0 ? slice.low() : low;
      high = high == null || Arrays.compareUnsigned(slice.high(), high) > 0 ? slice.high() : high;
    }
    if (!(plan instanceof Plan.Placing placing)) {
      throw new UnsupportedOperationException("no plan such as " + plan);
    }
    Target target = placing.target();
    long run = target.isNew() ? addRun(placing, version) : target.run();
    Claims.Job claim = new Claims.Job(target.level(), run, low, high, tables);
    claims.take(claim);
    return new Job(plan, slices, run, claim);
  }

  /**
   * Gives the new run its place before its first table exists, so that further plans can join it.
   * It is fed by the plan's sources; a plan without sources feeds it from the runs of its inputs.
   */
  private long addRun(Plan.Placing plan, Version version) throws IOException {
    Target target = plan.target();
    Set<Long> sources = new HashSet<>(target.sources());
    if (sources.isEmpty()) {
      Set<Long> inputs = new HashSet<>(plan.slices());
      version.levels().stream()
          .flatMap(level -> level.runs().stream())
          .filter(
              run ->
                  run.segments().stream()
                      .flatMap(segment -> segment.slices().stream())
                      .anyMatch(slice -> inputs.contains(slice.id())))
          .forEach(run -> sources.add(run.id()));
    }
    long run = manifest.nextNumber();
    manifest.install(VersionEdit.builder().addRun(target.level(), run, sources).build());
    return run;
  }

  /** Moves under the lock: it is one edit, and no plan may see it half done. */
  private Throwable move(Job job, Plan.Move move) {
    try {
      VersionEdit.Builder edit = VersionEdit.builder();
      long bytes = 0;
      for (Slice slice : job.slices()) {
        edit.moveSlice(slice.id(), move.target().level(), job.run());
        bytes += slice.table().bytes();
      }
      manifest.install(edit.build());
      listener.moved(move, bytes);
      return null;
    } catch (IOException | RuntimeException | Error e) {
      listener.failed(move.reason().sentence(), e);
      return e;
    }
  }

  /** Merges outside the lock; returns what went wrong, or null. */
  private Throwable merge(Job job, Plan.Merge merge) {
    try {
      new MergeJob(context, manifest, merge, job.slices(), job.run(), listener, () -> closed).run();
      return null;
    } catch (MergeJob.StoppedException e) {
      return null;
    } catch (IOException | RuntimeException | Error e) {
      listener.failed(merge.reason().sentence(), e);
      return e;
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
