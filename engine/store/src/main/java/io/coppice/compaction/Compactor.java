// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.thread.StackCheckedLock;
import io.coppice.base.thread.Workers;
import io.coppice.compaction.context.CompactionContext;
import io.coppice.compaction.context.FamilyCompactionContext;
import io.coppice.policy.Backlog;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.version.ReadCompactionRequests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/**
 * Compactor: asks the policies of all families for plans and carries them out on its own workers,
 * one for each slot. Planning and claiming are one action under one lock. The work runs outside
 * that lock, one step of a merge at a time. Safe to share between threads.
 *
 * <p>{@link CompactionSlots} holds the running merges. A pause, a policy switch and closing end
 * them early.
 *
 * <p>A plan is carried out only if {@link io.coppice.policy.check.PlanCheck} accepts it against the
 * same shape that the policy saw. Edits that other plans install in the meantime leave claimed
 * tables alone.
 */
public final class Compactor implements AutoCloseable {

  private final Workers workers;
  private final long flushBytes;
  private final ReentrantLock lock = new StackCheckedLock();
  private final Condition changed;

  @GuardedBy("lock")
  private final FairPlanScheduler planners;

  private final CompactionSlots slots;

  @GuardedBy("lock")
  private final SlotPreemption preemption;

  @GuardedBy("lock")
  private boolean paused;

  @GuardedBy("lock")
  private boolean closed;

  /** Number of events up to now that may change a policy's answer. */
  @GuardedBy("lock")
  private long versionsSeen;

  /** Value of {@link #versionsSeen} at the last question that no policy answered with a plan. */
  @GuardedBy("lock")
  private long settledAt = -1;

  /** Time of the last question to the policies, in nanoseconds of the workers' clock. */
  @GuardedBy("lock")
  private long askedNanos;

  /** Whether closing a snapshot may change a policy's answer. Written under the lock. */
  private volatile boolean snapshotAwaited;

  private final AtomicLong snapshotsClosed = new AtomicLong();

  private volatile double backlogPressure;
  private volatile DoubleSupplier writePressure = () -> 0;

  /**
   * Creates a compactor without families; {@link #start} begins the work.
   *
   * @param journal records the decisions of the policies
   * @param maxTransientBytes largest growth of disk use by merges at any instant, not counting old
   *     tables that readers hold
   * @param flushBytes typical bytes of one flush
   */
  public Compactor(
      Workers workers, DecisionJournal journal, long maxTransientBytes, long flushBytes) {
    this.workers = workers;
    this.flushBytes = flushBytes;
    this.changed = workers.condition(lock);
    this.planners = new FairPlanScheduler(journal, maxTransientBytes);
    this.slots = new CompactionSlots(workers, lock, new Work());
    this.preemption = new SlotPreemption(workers, planners, slots);
  }

  /** Sets the supplier of the write pressure, which stops writers from 1 on. */
  public void writePressure(DoubleSupplier pressure) {
    writePressure = pressure;
  }

  /**
   * Returns the backlog at the last question to the policies, as a share of a size: 1 is twice the
   * bytes of all tables plus 64 flushes.
   */
  public double backlogPressure() {
    return backlogPressure;
  }

  /** Adds a family to compaction. */
  public void add(FamilyCompactionContext family) {
    family.requests().signalTo(() -> signalFromRead(family.requests()));
    lock.lock();
    try {
      planners.add(family);
      changed();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Stops compaction of a family and waits until none of its merges runs. The merges discard their
   * unfinished steps.
   */
  public void stop(int family) throws InterruptedException {
    lock.lock();
    try {
      FamilyPlanner planner = planners.of(family);
      planner.stopped(true);
      end(planner, CompactionJob.End.NOW);
      while (!planner.idle() && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Allows compaction of a family again after {@link #stop}. */
  public void restart(int family) {
    lock.lock();
    try {
      planners.of(family).stopped(false);
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Removes a family that {@link #stop} has stopped. */
  public void remove(int family) {
    lock.lock();
    try {
      planners.remove(family);
      changed();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void end(FamilyPlanner planner, CompactionJob.End how) {
    slots.end(merge -> merge.subcompaction().planner() == planner, how);
    preemption.forget(planner);
  }

  /**
   * Starts {@code count} workers, one for each slot.
   *
   * @param count at least 1
   * @param name prefix of the workers' thread names
   */
  public void start(int count, String name) {
    lock.lock();
    try {
      slots.start(count, name);
    } finally {
      lock.unlock();
    }
  }

  /** Asks every policy once and records the answers in the journal without carrying them out. */
  public void ask() {
    lock.lock();
    try {
      planners.askAll();
    } finally {
      lock.unlock();
    }
  }

  /** Reports that a version was installed, so that the policies are asked again. */
  public void signal() {
    lock.lock();
    try {
      yieldToUrgent();
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Reports that a snapshot was closed. Merges may now remove what deletions hide. */
  public void snapshotClosed() {
    snapshotsClosed.incrementAndGet();
    if (snapshotAwaited) {
      lock.lock();
      try {
        askIfSnapshotsRelease();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Asks the policies again if the open snapshots protect fewer deleted entries than at the last
   * question.
   */
  @GuardedBy("lock")
  private void askIfSnapshotsRelease() {
    if (snapshotAwaited && planners.all().stream().anyMatch(FamilyPlanner::snapshotReached)) {
      snapshotAwaited = false;
      changed();
    }
  }

  /** Ends a merge if all slots are busy and an urgent plan waits for one. */
  @GuardedBy("lock")
  private void yieldToUrgent() {
    if (paused || closed) {
      return;
    }
    try {
      preemption.seek(writePressure.getAsDouble());
    } catch (FairPlanScheduler.FailedException e) {
      // The next free slot asks again and reports the failure.
      versionsSeen++;
    }
  }

  /** Counts an event that may change a policy's answer, and wakes the slots. */
  @GuardedBy("lock")
  private void changed() {
    versionsSeen++;
    changed.signalAll();
    slots.wake();
  }

  /**
   * Reports a request of a reader like {@link #signal}. Gives up if the lock is taken, because a
   * reader must not wait; the next read tries again.
   */
  private void signalFromRead(ReadCompactionRequests requests) {
    if (lock.tryLock()) {
      try {
        noteRequests(requests);
      } finally {
        lock.unlock();
      }
    }
  }

  @GuardedBy("lock")
  private void noteRequests() {
    for (FamilyPlanner planner : planners.all()) {
      noteRequests(planner.requests());
    }
  }

  /** Counts new requests of readers as an event that may change a policy's answer. */
  @GuardedBy("lock")
  private void noteRequests(ReadCompactionRequests requests) {
    if (requests.fresh()) {
      requests.seen();
      changed();
    }
  }

  /**
   * Replaces the policy of a family. Its running merges end at their next table, and the new policy
   * plans the rest.
   *
   * @param context environment of the merges that the new policy plans
   * @param reason reason for the change, for people
   */
  public void policy(int family, PolicySpec next, CompactionContext context, String reason) {
    lock.lock();
    try {
      FamilyPlanner planner = planners.of(family);
      planner.policy(next, context, reason, workers.nanoTime());
      end(planner, CompactionJob.End.AFTER_TABLE);
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Stops starting plans until {@link #resume}. Running merges end at their next table. */
  public void pause() {
    pause(CompactionJob.End.AFTER_TABLE);
  }

  /** Stops starting plans like {@link #pause}; running merges discard their unfinished steps. */
  public void cancel() {
    pause(CompactionJob.End.NOW);
  }

  private void pause(CompactionJob.End how) {
    lock.lock();
    try {
      paused = true;
      preemption.forget();
      slots.end(merge -> true, how);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no merge runs, after {@link #pause} or {@link #cancel}. */
  public void awaitPaused() throws InterruptedException {
    lock.lock();
    try {
      while (!slots.running().isEmpty() && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Allows plans again after {@link #pause} or {@link #cancel}. */
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
   * Asks the policies once and carries out one plan on this thread, even while paused. With a
   * paused compactor a test repeats exactly, because only this call starts plans.
   *
   * @return false if no policy wants a plan
   * @throws CorruptionException or another failure of the plan
   */
  public boolean carryOutNext() {
    CompactionJob merge;
    lock.lock();
    try {
      for (FamilyPlanner planner : planners.all()) {
        planner.retry().recovered();
      }
      long seen = versionsSeen;
      merge = nextMerge(1);
      rethrowFailure();
      if (merge == null) {
        return seen != versionsSeen;
      }
    } finally {
      lock.unlock();
    }
    boolean more = true;
    while (more) {
      more = slots.step(merge);
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
   * Carries out a given plan of a family on this thread, even while paused.
   *
   * @throws IllegalArgumentException naming the law that the plan breaks; nothing has happened then
   * @throws CorruptionException or another failure of the plan
   */
  public void carryOut(int family, Plan plan) throws IOException {
    CompactionJob merge;
    lock.lock();
    try {
      FamilyPlanner planner = planners.of(family);
      planner.check(plan);
      merge = begin(planner, plan, 1);
    } finally {
      lock.unlock();
    }
    boolean more = merge != null;
    while (more) {
      more = slots.stepOrThrow(merge);
    }
  }

  /** Returns the present shape of a family. */
  public Shape shape(int family) {
    lock.lock();
    try {
      return planners.of(family).shape();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the compaction status of a family, with its running merges. */
  public FamilyCompactionStatus sight(int family) {
    lock.lock();
    try {
      FamilyPlanner planner = planners.of(family);
      return planner.status(
          slots.running().stream()
              .filter(merge -> merge.subcompaction().planner() == planner)
              .toList(),
          workers.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends a merge of a family at its next table; the policy plans the rest again.
   *
   * @param id name of the merge, as in {@link FamilyCompactionStatus.RunningMerge}
   * @return false if there is no such merge
   */
  public boolean stopMerge(int family, String id) {
    lock.lock();
    try {
      FamilyPlanner planner = planners.of(family);
      Predicate<CompactionJob> which =
          merge -> merge.subcompaction().planner() == planner && merge.id().equals(id);
      boolean found = slots.running().stream().anyMatch(which);
      slots.end(which, CompactionJob.End.AFTER_TABLE);
      return found;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the present backlog of a family. */
  public Backlog backlog(int family) {
    lock.lock();
    try {
      return planners.of(family).backlog();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all merges have ended and no policy wants a plan.
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

  /**
   * Returns whether all merges have ended and all policies, asked after the last event, want
   * nothing.
   */
  @GuardedBy("lock")
  private boolean idle() {
    noteRequests();
    if (!planners.idle()) {
      return false;
    }
    if (settledAt != versionsSeen && paused && !planners.wantMore()) {
      settledAt = versionsSeen;
    }
    return settledAt == versionsSeen;
  }

  /**
   * Runs a major compaction: merges the data that a family has in tables now into one run, and
   * waits for it. Later flushes are left out, and so are damaged tables with all tables that must
   * be merged with them. A table that cannot be opened is left out if it needs no merge with
   * others.
   *
   * @throws CorruptionException after the rest is done, if a damaged table was left out; or another
   *     failure of the last plan, if plans fail
   * @throws java.io.UncheckedIOException after the rest is done, if an unreadable table was left
   *     out
   * @throws io.coppice.base.ClosedException if the family was dropped
   */
  public void everything(int family) throws InterruptedException {
    lock.lock();
    try {
      FamilyPlanner planner = planners.of(family);
      while (planner.major().isRunning() && !closed) {
        changed.await();
      }
      planner.major().begin();
      // Earlier failures are retried at once.
      planner.retry().recovered();
      changed();
      try {
        while (!closed && !planner.stopped() && !(planner.idle() && !planner.wantsMore())) {
          rethrow(planner.retry().failure());
          changed.await();
        }
        rethrow(planner.retry().failure());
        rethrow(planner.major().faultOfSkippedTables());
      } finally {
        planner.major().end();
        changed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the pause that follows a failed plan of a family, so that its policy is asked at once. */
  public void retry(int family) {
    lock.lock();
    try {
      planners.of(family).retry().end();
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Discards the unfinished steps of running merges and stops the workers. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      slots.end(merge -> true, CompactionJob.End.NOW);
      changed();
    } finally {
      lock.unlock();
    }
    slots.close();
  }

  /** Source of work for the slots, and receiver of their results. */
  private final class Work implements CompactionSlots.Source {
    @Override
    @GuardedBy("lock")
    public long rest() {
      return Compactor.this.rest();
    }

    @Override
    @GuardedBy("lock")
    public CompactionJob next() {
      return nextMerge(slots.free());
    }

    @Override
    @GuardedBy("lock")
    public void ended(CompactionJob merge, boolean good) {
      if (good) {
        succeeded(merge.subcompaction().planner());
      } else {
        changed.signalAll();
      }
    }

    @Override
    public void failed(CompactionJob merge, Throwable problem) {
      Subcompaction part = merge.subcompaction();
      String what = part.plan().reason().sentence();
      // A merge that was told to end is planned again and then meets a persistent fault again.
      if (!merge.ending()
          && problem instanceof DiskFullException
          && !part.planner().major().isRunning()) {
        refused(part, what, problem);
      } else {
        Compactor.this.failed(part.planner(), what, problem, !merge.ending());
      }
    }
  }

  /** Returns the nanoseconds until the policies must be asked, 0 for now. */
  @GuardedBy("lock")
  private long rest() {
    noteRequests();
    if (closed || paused) {
      return Workers.UNTIL_WOKEN;
    }
    if (settledAt != versionsSeen) {
      return 0;
    }
    long now = workers.nanoTime();
    long ends = planners.endsNanos(now);
    long rest =
        Math.min(
            planners.retryDelayNanos(now), ends == Long.MAX_VALUE ? ends : askedNanos + ends - now);
    return rest == Long.MAX_VALUE ? Workers.UNTIL_WOKEN : Math.max(0, rest);
  }

  /**
   * Reports a failed plan to the family's listener.
   *
   * @param stands whether the failure counts for the family, so that its next plan waits
   */
  private void failed(FamilyPlanner planner, String what, Throwable problem, boolean stands) {
    lock.lock();
    try {
      if (stands) {
        planner.failed(problem, workers.nanoTime());
      }
      changed();
    } finally {
      lock.unlock();
    }
    planner.listener().failed(what, problem);
  }

  /** Reports a merge that lacked disk space. The next plans of the family leave its tables out. */
  private void refused(Subcompaction part, String what, Throwable problem) {
    lock.lock();
    try {
      part.planner().retry().refused(problem, part.claim().tables(), workers.nanoTime());
      changed();
    } finally {
      lock.unlock();
    }
    part.planner().listener().failed(what, problem);
  }

  /** Clears the failure of a family after a plan was carried out. */
  @GuardedBy("lock")
  private void succeeded(FamilyPlanner planner) {
    planner.retry().recovered();
    changed();
  }

  /**
   * Asks the policies for a plan. Claims the tables of a merge and returns it; carries out any
   * other plan at once. Records a failure.
   */
  @GuardedBy("lock")
  private CompactionJob nextMerge(int freeSlots) {
    CompactionJob yielded = beginUrgent();
    if (yielded != null) {
      return yielded;
    }
    long seen = versionsSeen;
    long before = snapshotsClosed.get();
    Optional<FairPlanScheduler.Proposal> next;
    try {
      askedNanos = workers.nanoTime();
      next = planners.next(askedNanos);
    } catch (FairPlanScheduler.FailedException e) {
      failed(e.planner(), "no plan could be made", e.getCause(), true);
      return null;
    }
    backlogPressure = planners.backlogPressure(flushBytes);
    if (next.isEmpty()) {
      settledAt = seen;
      snapshotAwaited = planners.all().stream().anyMatch(FamilyPlanner::awaitsSnapshot);
      if (snapshotsClosed.get() != before) {
        // One was closed during the question.
        askIfSnapshotsRelease();
      }
      // Wakes threads that wait for idleness.
      changed.signalAll();
      return null;
    }
    FamilyPlanner planner = next.get().planner();
    Plan plan = next.get().plan();
    try {
      return begin(planner, plan, freeSlots);
    } catch (StalePlanException e) {
      changed();
      return null;
    } catch (IOException | RuntimeException | Error e) {
      failed(planner, plan.reason().sentence(), e, true);
      return null;
    }
  }

  /**
   * Claims the urgent plan that a merge has made way for. Returns null if the plan has become
   * illegal or another slot has started it.
   */
  @GuardedBy("lock")
  private CompactionJob beginUrgent() {
    FairPlanScheduler.Proposal waiting = preemption.take();
    if (waiting == null) {
      return null;
    }
    try {
      waiting.planner().check(waiting.plan());
      return begin(waiting.planner(), waiting.plan(), 1);
    } catch (IllegalArgumentException e) {
      // Another change came first; the policy is asked again.
      return null;
    } catch (IOException | RuntimeException | Error e) {
      failed(waiting.planner(), waiting.plan().reason().sentence(), e, true);
      return null;
    }
  }

  /**
   * Claims a checked merge, or carries out any other checked plan at once. The latter is one edit,
   * and no other plan may see it half done.
   *
   * @param freeSlots number of parts of a merge that can run at once
   * @return the merge or its first part, which the caller runs; null for another plan
   */
  @GuardedBy("lock")
  private CompactionJob begin(FamilyPlanner planner, Plan plan, int freeSlots) throws IOException {
    if (plan instanceof Plan.Merge merge) {
      List<Subcompaction> parts = planner.claim(merge, freeSlots);
      boolean begun = false;
      try {
        long bytes = parts.stream().mapToLong(Subcompaction::inputBytes).sum();
        planner.listener().begun(plan, bytes);
        CompactionJob first = slots.begin(parts);
        begun = true;
        // A merge that did not begin has read nothing.
        planners.charge(planner, plan, bytes);
        return first;
      } finally {
        for (int i = 0; !begun && i < parts.size(); i++) {
          planner.release(parts.get(i));
        }
      }
    }
    long bytes = planner.installMetadataPlan(plan);
    planner.listener().begun(plan, bytes);
    planner.listener().rearranged(plan, bytes);
    succeeded(planner);
    return null;
  }

  @GuardedBy("lock")
  private void rethrowFailure() {
    rethrow(planners.failure());
  }

  private static void rethrow(Throwable failure) {
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
