// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.DiskFullException;
import io.coppice.base.thread.StackCheckedLock;
import io.coppice.base.thread.Workers;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.version.ReadCompactionRequests;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;

/**
 * Dispatcher that starts plans in free slots. It counts the events that may change a policy's
 * answer. After an event it asks the policies and starts the first plan that one returns. Owns the
 * compactor's lock.
 *
 * <pre>
 *  event: edit, read request, closed snapshot, end of a merge or of a pause
 *    | changed() counts it and wakes the slots
 *    v
 *  free slot --nextPlanDelayNanos() = 0--&gt; next() --&gt; FairPlanScheduler
 *    | plan: begin() claims a merge or installs another plan
 *    | no plan: settled until the next event
 *    v
 *  threads that wait for idleness
 * </pre>
 */
final class PlanDispatcher implements CompactionSlots.Source {

  /** Lock of planners, claims and slots. */
  final ReentrantLock lock = new StackCheckedLock();

  /** Condition of the lock: signaled when an awaited event may have happened. */
  final Condition changed;

  /** Running merges; the lock guards their lists. */
  final CompactionSlots slots;

  private final Workers workers;
  private final long flushBytes;

  @GuardedBy("lock")
  private final FairPlanScheduler planners;

  @GuardedBy("lock")
  private final SlotPreemption preemption;

  @GuardedBy("lock")
  private boolean paused;

  @GuardedBy("lock")
  private boolean closed;

  /** Number of events up to now that may change a policy's answer. */
  @GuardedBy("lock")
  private long events;

  /** Value of {@link #events} when the policies were last asked and none wanted a plan. */
  @GuardedBy("lock")
  private long settledAt = -1;

  /** Time when the policies were last asked, in nanoseconds of the workers' clock. */
  @GuardedBy("lock")
  private long askedNanos;

  /** Whether closing a snapshot may change a policy's answer. Written under the lock. */
  private volatile boolean snapshotAwaited;

  private final AtomicLong snapshotsClosed = new AtomicLong();

  private volatile double backlogPressure;
  private volatile DoubleSupplier writePressure = () -> 0;

  /** Creates a dispatcher without families; the parameters are those of {@link Compactor}. */
  PlanDispatcher(
      Workers workers, DecisionJournal journal, long maxTransientBytes, long flushBytes) {
    this.workers = workers;
    this.flushBytes = flushBytes;
    this.changed = workers.condition(lock);
    this.planners = new FairPlanScheduler(journal, maxTransientBytes);
    this.slots = new CompactionSlots(workers, lock, this);
    this.preemption = new SlotPreemption(workers, planners, slots);
  }

  void writePressure(DoubleSupplier pressure) {
    writePressure = pressure;
  }

  double backlogPressure() {
    return backlogPressure;
  }

  /** Returns the planners of all families. */
  @GuardedBy("lock")
  FairPlanScheduler planners() {
    return planners;
  }

  @GuardedBy("lock")
  boolean closed() {
    return closed;
  }

  /** Ends all merges and starts no more plans, until {@link #resume}. */
  @GuardedBy("lock")
  void pause(CompactionJob.End how) {
    paused = true;
    preemption.forget();
    slots.end(merge -> true, how);
  }

  @GuardedBy("lock")
  void resume() {
    paused = false;
    changed();
  }

  /** Ends all merges and starts no more plans. */
  @GuardedBy("lock")
  void close() {
    closed = true;
    slots.end(merge -> true, CompactionJob.End.NOW);
    changed();
  }

  /** Ends the merges of a family, and forgets its urgent plan. */
  @GuardedBy("lock")
  void end(FamilyPlanner planner, CompactionJob.End how) {
    slots.end(merge -> merge.subcompaction().planner() == planner, how);
    preemption.forget(planner);
  }

  /** Counts an event that may change a policy's answer, and wakes the slots. */
  @GuardedBy("lock")
  void changed() {
    events++;
    changed.signalAll();
    slots.wake();
  }

  /** Counts new requests of readers as an event that may change a policy's answer. */
  @GuardedBy("lock")
  void noteRequests(ReadCompactionRequests requests) {
    if (requests.fresh()) {
      requests.seen();
      changed();
    }
  }

  @GuardedBy("lock")
  private void noteRequests() {
    for (FamilyPlanner planner : planners.all()) {
      noteRequests(planner.requests());
    }
  }

  /** Counts a closed snapshot as an event if merges may now remove entries that it protected. */
  void snapshotClosed() {
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
   * Asks the policies again if the open snapshots protect fewer deleted entries than when they were
   * last asked.
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
  void yieldToUrgent() {
    if (paused || closed) {
      return;
    }
    try {
      preemption.seek(writePressure.getAsDouble());
    } catch (FairPlanScheduler.FailedException e) {
      // The next free slot asks again and reports the failure.
      events++;
    }
  }

  /**
   * Returns whether all merges have ended and all policies, asked after the last event, want
   * nothing.
   */
  @GuardedBy("lock")
  boolean idle() {
    noteRequests();
    if (!planners.idle()) {
      return false;
    }
    if (settledAt != events && paused && !planners.wantMore()) {
      settledAt = events;
    }
    return settledAt == events;
  }

  @GuardedBy("lock")
  long events() {
    return events;
  }

  /**
   * Returns the nanoseconds until a slot should ask for a plan: 0 for now, {@link
   * Workers#UNTIL_WOKEN} to wait for the next event.
   */
  @GuardedBy("lock")
  @Override
  public long nextPlanDelayNanos() {
    noteRequests();
    if (closed || paused) {
      return Workers.UNTIL_WOKEN;
    }
    if (settledAt != events) {
      return 0;
    }
    long now = workers.nanoTime();
    long ends = planners.endsNanos(now);
    long delayNanos =
        Math.min(
            planners.retryDelayNanos(now), ends == Long.MAX_VALUE ? ends : askedNanos + ends - now);
    return delayNanos == Long.MAX_VALUE ? Workers.UNTIL_WOKEN : Math.max(0, delayNanos);
  }

  @GuardedBy("lock")
  @Override
  public CompactionJob next() {
    return next(slots.free());
  }

  /**
   * Asks the policies for a plan. Claims the tables of a merge and returns it; carries out any
   * other plan at once. Records a failure.
   *
   * @param freeSlots number of parts of a merge that can run at once
   * @return the merge or its first part; null without a plan, after another plan, or after a
   *     failure
   */
  @GuardedBy("lock")
  CompactionJob next(int freeSlots) {
    CompactionJob yielded = beginUrgent();
    if (yielded != null) {
      return yielded;
    }
    long seen = events;
    long before = snapshotsClosed.get();
    Optional<FairPlanScheduler.Proposal> next;
    try {
      askedNanos = workers.nanoTime();
      next = planners.next(askedNanos);
    } catch (FairPlanScheduler.FailedException e) {
      String what =
          "the policy %s threw while it planned; the store asks it again after a pause"
              .formatted(e.planner().spec());
      failed(e.planner(), what, e.getCause(), true);
      return null;
    }
    backlogPressure = planners.backlogPressure(flushBytes);
    if (next.isEmpty()) {
      settledAt = seen;
      snapshotAwaited = planners.all().stream().anyMatch(FamilyPlanner::awaitsSnapshot);
      if (snapshotsClosed.get() != before) {
        // A snapshot was closed while the policies planned.
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
   * Claims the urgent plan that preempted a merge. Returns null if the plan has become illegal or
   * another slot has started it.
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
      // The plan has become illegal; the policy is asked again.
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
  CompactionJob begin(FamilyPlanner planner, Plan plan, int freeSlots) throws IOException {
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
  @Override
  public void ended(CompactionJob merge, boolean good) {
    if (good) {
      succeeded(merge.subcompaction().planner());
    } else {
      changed.signalAll();
    }
  }

  /** Clears the failure of a family after a plan was carried out. */
  @GuardedBy("lock")
  private void succeeded(FamilyPlanner planner) {
    planner.retry().recovered();
    changed();
  }

  @Override
  public void failed(CompactionJob merge, Throwable problem) {
    Subcompaction part = merge.subcompaction();
    String what = part.plan().reason().sentence();
    boolean full = problem instanceof DiskFullException;
    boolean major = part.planner().major().isRunning();
    // A merge that was told to end is planned again and then fails again at a persistent fault.
    if (full && !major && !merge.ending()) {
      refused(part, what, problem);
    } else {
      // The major compaction merges the tables of an earlier merge again, with those that have
      // deletions, and may need less space.
      boolean plannedAnew = merge.ending() || (full && major && !part.major());
      failed(part.planner(), what, problem, !plannedAnew);
    }
  }

  /**
   * Reports a failed plan to the family's listener.
   *
   * @param countsForFamily whether the failure counts for the family, so that its next plan waits
   */
  private void failed(
      FamilyPlanner planner, String what, Throwable problem, boolean countsForFamily) {
    lock.lock();
    try {
      if (countsForFamily) {
        planner.failed(problem, workers.nanoTime());
      }
      changed();
    } finally {
      lock.unlock();
    }
    planner.listener().failed(what, problem);
  }

  /** Reports a merge that lacked disk space. The next plans of the family skip its tables. */
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
}
