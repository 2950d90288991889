// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.base.Workers;
import io.coppice.manifest.ReadRequests;
import io.coppice.policy.Backlog;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Plan;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/**
 * Asks the policies of all families for plans and carries them out, by workers of its own, one for
 * each slot. Planning and claiming are one step under one lock; the work itself runs outside it,
 * one step of a merge at a time. Safe to share between threads.
 *
 * <p>Those under way are in {@link MergeSlots}. A pause, another policy and closing end them early.
 *
 * <p>A plan is carried out only if {@link io.coppice.policy.PlanCheck} accepts it against the very
 * Shape it was made from; what other plans install meanwhile cannot touch claimed tables.
 */
public final class Compactor implements AutoCloseable {

  private final Workers workers;
  private final long flushBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed;
  // All below: guarded by lock.
  private final Planners planners;
  private final MergeSlots slots;

  /** An urgent plan for which a merge yields, or null. */
  private Planners.Proposal urgent;

  private boolean paused;
  private boolean closed;

  /** Counts whatever may change the policy's mind. */
  private long versionsSeen;

  /** The last count at which the policy wanted nothing. */
  private long settledAt = -1;

  /** When the policies were asked last. */
  private long askedNanos;

  private volatile double backlogDebt;
  private volatile DoubleSupplier writersDebt = () -> 0;

  /**
   * Makes a compactor without families; {@link #start} begins the work.
   *
   * @param journal is told what the policies decide
   * @param maxTransientBytes by how much merges may fill the disk at any instant, readers that hold
   *     on to old tables apart
   * @param flushBytes about as much is flushed at once
   */
  public Compactor(
      Workers workers, DecisionJournal journal, long maxTransientBytes, long flushBytes) {
    this.workers = workers;
    this.flushBytes = flushBytes;
    this.changed = workers.condition(lock);
    this.planners = new Planners(journal, maxTransientBytes);
    this.slots = new MergeSlots(workers, lock, new Work());
  }

  /** Names what says how near writers are to stopping for merges, which they do at 1. */
  public void writersDebt(DoubleSupplier debt) {
    writersDebt = debt;
  }

  /**
   * How much merging the policies wanted when they were asked last: 1 is so much that all tables
   * would be read twice, and some flushes more.
   */
  public double backlogDebt() {
    return backlogDebt;
  }

  /** Takes a family on. */
  public void add(CompactedFamily family) {
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
   * Starts nothing in a family any more and returns when none of its merges runs; they give up what
   * is not yet a step.
   */
  public void stop(int family) throws InterruptedException {
    lock.lock();
    try {
      Planner planner = planners.of(family);
      planner.stopped(true);
      end(planner, MergeJob.End.NOW);
      while (!planner.idle() && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends {@link #stop}. */
  public void restart(int family) {
    lock.lock();
    try {
      planners.of(family).stopped(false);
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Forgets a family that was stopped. */
  public void remove(int family) {
    lock.lock();
    try {
      planners.remove(family);
      changed();
    } finally {
      lock.unlock();
    }
  }

  private void end(Planner planner, MergeJob.End how) {
    slots.end(merge -> merge.job().planner() == planner, how);
    if (urgent != null && urgent.planner() == planner) {
      urgent = null;
    }
  }

  /** Starts the workers, at least one. */
  public void start(int count, String name) {
    lock.lock();
    try {
      slots.start(count, name);
    } finally {
      lock.unlock();
    }
  }

  /** Asks every policy once; what it answers is noted in the journal and not carried out. */
  public void ask() {
    lock.lock();
    try {
      planners.askAll();
    } finally {
      lock.unlock();
    }
  }

  /** Says that a version was installed, so that the policy is asked again. */
  public void signal() {
    lock.lock();
    try {
      yieldToUrgent();
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** If all slots are busy, a merge may have to yield to a plan that waits. The lock is held. */
  private void yieldToUrgent() {
    double debt = writersDebt.getAsDouble();
    if (urgent != null
        || paused
        || closed
        || !slots.areBusy()
        || !Yielding.isWorthAsking(slots.running(), debt)) {
      return;
    }
    try {
      planners
          .next(workers.nanoTime())
          .filter(next -> next.plan() instanceof Plan.Merge)
          .ifPresent(next -> yieldTo(next, (Plan.Merge) next.plan(), debt));
    } catch (Planners.FailedException e) {
      // The next free slot asks again, and notes it.
      versionsSeen++;
    }
  }

  private void yieldTo(Planners.Proposal next, Plan.Merge plan, double debt) {
    if (!next.planner().relievesWriters(plan)) {
      return;
    }
    boolean ofFlushes = next.planner().takesFlushes(plan);
    long bytes = plan.reason().forecast().readBytes();
    Yielding.to(ofFlushes, bytes, slots.running(), debt)
        .ifPresent(
            merge -> {
              urgent = next;
              slots.end(other -> other == merge, MergeJob.End.AFTER_TABLE);
            });
  }

  /** Something may change the policy's mind. The lock is held. */
  private void changed() {
    versionsSeen++;
    changed.signalAll();
    slots.wake();
  }

  /** As {@link #signal}, but gives up rather than wait: the next read will try again. */
  private void signalFromRead(ReadRequests requests) {
    if (lock.tryLock()) {
      try {
        noteRequests(requests);
      } finally {
        lock.unlock();
      }
    }
  }

  private void noteRequests() {
    for (Planner planner : planners.all()) {
      noteRequests(planner.requests());
    }
  }

  /** What reads asked for counts as a new version. The lock is held. */
  private void noteRequests(ReadRequests requests) {
    if (requests.fresh()) {
      requests.seen();
      changed();
    }
  }

  /**
   * Replaces the policy of a family; its merges under way end at their next table, and it plans on
   * from there.
   *
   * @param context what merges that it plans need
   * @param reason for people
   */
  public void policy(int family, PolicySpec next, MergeContext context, String reason) {
    lock.lock();
    try {
      Planner planner = planners.of(family);
      planner.policy(next, context, reason, workers.nanoTime());
      end(planner, MergeJob.End.AFTER_TABLE);
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
      urgent = null;
      slots.end(merge -> true, how);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no merge runs. */
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
   * Asks the policies once and carries a plan out on this thread, also while paused. On a paused
   * compactor the caller alone decides when anything happens, so equal loads have equal plans.
   *
   * @return false if no policy wants anything
   * @throws CorruptionException or another failure of the plan
   */
  public boolean carryOutNext() {
    MergeJob merge;
    lock.lock();
    try {
      for (Planner planner : planners.all()) {
        planner.recovered();
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
   * Carries out a plan for a family that its policy did not make, on this thread, also while
   * paused.
   *
   * @throws IllegalArgumentException naming the law that the plan breaks; nothing has happened then
   * @throws CorruptionException or another failure of the plan
   */
  public void carryOut(int family, Plan plan) throws IOException {
    MergeJob merge;
    lock.lock();
    try {
      Planner planner = planners.of(family);
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

  /** A family as its policy sees it now. */
  public Shape shape(int family) {
    lock.lock();
    try {
      return planners.of(family).shape();
    } finally {
      lock.unlock();
    }
  }

  /** A family as people look at it, with its merges under way. */
  public FamilySight sight(int family) {
    lock.lock();
    try {
      Planner planner = planners.of(family);
      return planner.sight(
          slots.running().stream().filter(merge -> merge.job().planner() == planner).toList(),
          workers.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells a merge of a family to end at its next table; what it left is planned again.
   *
   * @param id as in {@link FamilySight.RunningMerge}
   * @return false if there is no such merge
   */
  public boolean stopMerge(int family, String id) {
    lock.lock();
    try {
      Planner planner = planners.of(family);
      Predicate<MergeJob> which =
          merge -> merge.job().planner() == planner && merge.id().equals(id);
      boolean found = slots.running().stream().anyMatch(which);
      slots.end(which, MergeJob.End.AFTER_TABLE);
      return found;
    } finally {
      lock.unlock();
    }
  }

  /** What the policy of a family still wants done now. */
  public Backlog backlog(int family) {
    lock.lock();
    try {
      return planners.of(family).backlog();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until no policy wants anything and nothing runs.
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

  /** True if nothing runs and no policy, asked since the last change, wants anything. */
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
   * Merges everything of a family that is in tables now into one run, and waits for it. Flushes
   * that arrive meanwhile stay out of it, and so do damaged tables with what has to be merged with
   * them, and cold tables that cannot be opened where nothing is merged with them.
   *
   * @throws CorruptionException once all else is done, if a table was left out as it is damaged; or
   *     another failure of the last plan, if plans fail
   * @throws java.io.UncheckedIOException likewise, if it was left out as it cannot be read
   * @throws io.coppice.base.ClosedException if the family was dropped
   */
  public void everything(int family) throws InterruptedException {
    lock.lock();
    try {
      Planner planner = planners.of(family);
      while (planner.inMajor() && !closed) {
        changed.await();
      }
      planner.beginMajor();
      // What failed before is tried again at once.
      planner.recovered();
      changed();
      try {
        while (!closed && !planner.stopped() && !(planner.idle() && !planner.wantsMore())) {
          rethrow(planner.failure());
          changed.await();
        }
        rethrow(planner.failure());
        rethrow(planner.leftOut());
      } finally {
        planner.endMajor();
        changed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tries a plan of a family that failed again now, without a pause. */
  public void retry(int family) {
    lock.lock();
    try {
      planners.of(family).endRest();
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
      slots.end(merge -> true, MergeJob.End.NOW);
      changed();
    } finally {
      lock.unlock();
    }
    slots.close();
  }

  /** What the slots do, and what they tell. */
  private final class Work implements MergeSlots.Source {
    @Override
    public long rest() {
      return Compactor.this.rest();
    }

    @Override
    public MergeJob next() {
      return nextMerge(slots.free());
    }

    @Override
    public void ended(MergeJob merge, boolean good) {
      if (good) {
        succeeded(merge.job().planner());
      } else {
        changed.signalAll();
      }
    }

    @Override
    public void failed(MergeJob merge, Throwable problem) {
      // One that was to end is planned anew, and then meets again what is wrong, if it still is.
      boolean stands = !merge.ending();
      String what = merge.job().plan().reason().sentence();
      Compactor.this.failed(merge.job().planner(), what, problem, stands);
    }
  }

  /** How long the policy need not be asked; 0 if it is to be asked now. The lock is held. */
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
        Math.min(planners.restNanos(now), ends == Long.MAX_VALUE ? ends : askedNanos + ends - now);
    return rest == Long.MAX_VALUE ? Workers.UNTIL_WOKEN : Math.max(0, rest);
  }

  /** Tells that a plan failed; where that stands, the next waits a while. */
  private void failed(Planner planner, String what, Throwable problem, boolean stands) {
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

  /** Notes that a plan was carried out. The lock is held. */
  private void succeeded(Planner planner) {
    planner.recovered();
    changed();
  }

  /**
   * Asks the policies. A merge is claimed; another plan is carried out at once, which counts as a
   * new version. A failure is noted. The lock is held.
   */
  private MergeJob nextMerge(int freeSlots) {
    MergeJob yielded = beginUrgent();
    if (yielded != null) {
      return yielded;
    }
    long seen = versionsSeen;
    Optional<Planners.Proposal> next;
    try {
      askedNanos = workers.nanoTime();
      next = planners.next(askedNanos);
    } catch (Planners.FailedException e) {
      failed(e.planner(), "no plan could be made", e.getCause(), true);
      return null;
    }
    backlogDebt = planners.backlogDebt(flushBytes);
    if (next.isEmpty()) {
      settledAt = seen;
      // Who waits for that is told.
      changed.signalAll();
      return null;
    }
    Planner planner = next.get().planner();
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

  /** Begins what a merge has yielded to, if it is still legal and not begun by another slot. */
  private MergeJob beginUrgent() {
    Planners.Proposal waiting = urgent;
    urgent = null;
    if (waiting == null) {
      return null;
    }
    try {
      waiting.planner().check(waiting.plan());
      return begin(waiting.planner(), waiting.plan(), 1);
    } catch (IllegalArgumentException e) {
      // Something else came first; the policy is asked again.
      return null;
    } catch (IOException | RuntimeException | Error e) {
      failed(waiting.planner(), waiting.plan().reason().sentence(), e, true);
      return null;
    }
  }

  /**
   * Claims a checked merge, and carries out any other checked plan, as that is one edit, and no
   * plan may see it half done. The lock is held.
   *
   * @param freeSlots how many parts of a merge can run at once
   * @return the merge or its first part, to be run; null for another plan
   */
  private MergeJob begin(Planner planner, Plan plan, int freeSlots) throws IOException {
    if (plan instanceof Plan.Merge merge) {
      List<Job> parts = planner.claim(merge, freeSlots);
      boolean begun = false;
      try {
        long bytes = parts.stream().mapToLong(Job::inputBytes).sum();
        planner.listener().begun(plan, bytes);
        MergeJob first = slots.begin(parts);
        begun = true;
        // Nothing was read for a merge that did not begin.
        planners.charge(planner, bytes);
        return first;
      } finally {
        for (int i = 0; !begun && i < parts.size(); i++) {
          planner.release(parts.get(i));
        }
      }
    }
    long bytes = planner.rearrange(plan);
    planner.listener().begun(plan, bytes);
    planner.listener().rearranged(plan, bytes);
    succeeded(planner);
    return null;
  }

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
