// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.CorruptionException;
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
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/**
 * Compaction of all families: adds and removes families, pauses, waits, and runs major compactions.
 * Safe to share between threads.
 *
 * <p>{@link PlanDispatcher} asks the policies for plans. {@link CompactionSlots} carries merges out
 * on its own workers, one for each slot; a pause, a policy switch and closing end them early.
 * Planning and claiming are one action under one lock. The work runs outside that lock, one step of
 * a merge at a time.
 *
 * <p>A plan is carried out only if {@link io.coppice.policy.check.PlanCheck} accepts it against the
 * same shape that the policy saw. Edits that other plans install in the meantime leave claimed
 * tables alone.
 */
public final class Compactor implements AutoCloseable {

  private final Workers workers;
  private final PlanDispatcher dispatcher;

  /**
   * Creates a compactor without families; {@link #start} begins the work.
   *
   * @param journal records the decisions of the policies
   * @param maxTransientBytes largest growth of disk use by merges at any instant, not counting old
   *     tables that readers hold
   * @param flushBytes typical bytes of one flush, for {@link #backlogPressure}
   */
  public Compactor(
      Workers workers, DecisionJournal journal, long maxTransientBytes, long flushBytes) {
    this.workers = workers;
    this.dispatcher = new PlanDispatcher(workers, journal, maxTransientBytes, flushBytes);
  }

  /**
   * Sets the supplier of the write pressure, which stops writers from 1 on. It is called under the
   * compactor's lock.
   */
  public void writePressure(DoubleSupplier pressure) {
    dispatcher.writePressure(pressure);
  }

  /**
   * Returns the bytes that the policies wanted to read when they were last asked for a plan, as a
   * multiple of twice the bytes of all tables plus 64 flushes.
   */
  public double backlogPressure() {
    return dispatcher.backlogPressure();
  }

  /** Adds a family to compaction and does not wait for its plans. */
  public void add(FamilyCompactionContext family) {
    family.requests().signalTo(() -> signalFromRead(family.requests()));
    dispatcher.lock.lock();
    try {
      dispatcher.planners().add(family);
      dispatcher.changed();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Stops compaction of a family and waits until none of its merges runs. The merges discard their
   * unfinished steps.
   *
   * @throws InterruptedException if the thread is interrupted while it waits; compaction of the
   *     family stays stopped
   * @throws io.coppice.base.ClosedException if the family was removed
   */
  public void stop(int family) throws InterruptedException {
    dispatcher.lock.lock();
    try {
      FamilyPlanner planner = dispatcher.planners().of(family);
      planner.stopped(true);
      dispatcher.end(planner, CompactionJob.End.NOW);
      while (!planner.idle() && !dispatcher.closed()) {
        dispatcher.changed.await();
      }
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Allows compaction of a family again after {@link #stop}, even if an interrupt ended the wait of
   * that call.
   */
  public void restart(int family) {
    dispatcher.lock.lock();
    try {
      dispatcher.planners().of(family).stopped(false);
      dispatcher.changed();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Removes a family that {@link #stop} has stopped. Later calls for it throw {@link
   * io.coppice.base.ClosedException}.
   */
  public void remove(int family) {
    dispatcher.lock.lock();
    try {
      dispatcher.planners().remove(family);
      dispatcher.changed();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Starts {@code count} workers, one for each slot.
   *
   * @param count at least 1
   * @param name prefix of the workers' thread names
   */
  public void start(int count, String name) {
    dispatcher.lock.lock();
    try {
      dispatcher.slots.start(count, name);
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /** Asks every policy once and records the answers in the journal without carrying them out. */
  public void ask() {
    dispatcher.lock.lock();
    try {
      dispatcher.planners().askAll();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Reports that a version was installed, so that the workers ask the policies again. Does not wait
   * for them.
   */
  public void signal() {
    dispatcher.lock.lock();
    try {
      dispatcher.yieldToUrgent();
      dispatcher.changed();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /** Reports that a snapshot was closed. Merges may now remove what deletions hide. */
  public void snapshotClosed() {
    dispatcher.snapshotClosed();
  }

  /**
   * Reports a request of a reader like {@link #signal}. Gives up if the lock is taken, because a
   * reader must not wait; the next read tries again.
   */
  private void signalFromRead(ReadCompactionRequests requests) {
    if (dispatcher.lock.tryLock()) {
      try {
        dispatcher.noteRequests(requests);
      } finally {
        dispatcher.lock.unlock();
      }
    }
  }

  /**
   * Replaces the policy of a family. Its running merges end at their next table, and the new policy
   * plans the rest. Does not wait for them.
   *
   * @param context environment of the merges that the new policy plans
   * @param reason reason for the change, for people
   */
  public void policy(int family, PolicySpec next, CompactionContext context, String reason) {
    dispatcher.lock.lock();
    try {
      FamilyPlanner planner = dispatcher.planners().of(family);
      planner.policy(next, context, reason, workers.nanoTime());
      dispatcher.end(planner, CompactionJob.End.AFTER_TABLE);
      dispatcher.changed();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Stops starting plans until {@link #resume}. Running merges end at their next table; {@link
   * #awaitPaused} waits for that.
   */
  public void pause() {
    pause(CompactionJob.End.AFTER_TABLE);
  }

  /** Stops starting plans like {@link #pause}; running merges discard their unfinished steps. */
  public void cancel() {
    pause(CompactionJob.End.NOW);
  }

  private void pause(CompactionJob.End how) {
    dispatcher.lock.lock();
    try {
      dispatcher.pause(how);
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Waits until no merge runs or the compactor is closed, after {@link #pause} or {@link #cancel}.
   *
   * @throws InterruptedException if the thread is interrupted; compaction stays paused
   */
  public void awaitPaused() throws InterruptedException {
    dispatcher.lock.lock();
    try {
      while (!dispatcher.slots.running().isEmpty() && !dispatcher.closed()) {
        dispatcher.changed.await();
      }
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /** Allows plans again after {@link #pause} or {@link #cancel}. */
  public void resume() {
    dispatcher.lock.lock();
    try {
      dispatcher.resume();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Asks the policies once and carries out one plan on this thread, even while paused. With a
   * paused compactor a test repeats exactly, because only this call starts plans.
   *
   * @return whether a plan was carried out, or the policies must be asked again; false if no policy
   *     wants one
   * @throws CorruptionException if a table of the plan is damaged; any other failure of the plan is
   *     thrown as well
   */
  public boolean carryOutNext() {
    CompactionJob merge;
    dispatcher.lock.lock();
    try {
      for (FamilyPlanner planner : dispatcher.planners().all()) {
        planner.retry().recovered();
      }
      long seen = dispatcher.events();
      merge = dispatcher.next(1);
      rethrowFailure();
      if (merge == null) {
        return seen != dispatcher.events();
      }
    } finally {
      dispatcher.lock.unlock();
    }
    boolean more = true;
    while (more) {
      more = dispatcher.slots.step(merge);
    }
    dispatcher.lock.lock();
    try {
      rethrowFailure();
      return true;
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Carries out a given plan of a family on this thread, even while paused.
   *
   * @throws IllegalArgumentException if the plan breaks a rule, which the message names; nothing
   *     has happened then
   * @throws CorruptionException if a table of the plan is damaged; durable steps stay
   * @throws IOException if a read or write fails; durable steps stay
   */
  public void carryOut(int family, Plan plan) throws IOException {
    CompactionJob merge;
    dispatcher.lock.lock();
    try {
      FamilyPlanner planner = dispatcher.planners().of(family);
      planner.check(plan);
      merge = dispatcher.begin(planner, plan, 1);
    } finally {
      dispatcher.lock.unlock();
    }
    boolean more = merge != null;
    while (more) {
      more = dispatcher.slots.stepOrThrow(merge);
    }
  }

  /**
   * Returns the present shape of a family. Waits for a planning in progress.
   *
   * @throws io.coppice.base.ClosedException if the family was removed
   */
  public Shape shape(int family) {
    dispatcher.lock.lock();
    try {
      return dispatcher.planners().of(family).shape();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /** Returns the compaction status of a family, with its running merges. */
  public FamilyCompactionStatus status(int family) {
    dispatcher.lock.lock();
    try {
      FamilyPlanner planner = dispatcher.planners().of(family);
      return planner.status(
          dispatcher.slots.running().stream()
              .filter(merge -> merge.subcompaction().planner() == planner)
              .toList(),
          workers.nanoTime());
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Ends a merge of a family at its next table; the policy plans the rest again. Does not wait for
   * the end.
   *
   * @param id name of the merge, as in {@link FamilyCompactionStatus.RunningMerge}
   * @return whether there is such a merge
   */
  public boolean stopMerge(int family, String id) {
    dispatcher.lock.lock();
    try {
      FamilyPlanner planner = dispatcher.planners().of(family);
      Predicate<CompactionJob> which =
          merge -> merge.subcompaction().planner() == planner && merge.id().equals(id);
      boolean found = dispatcher.slots.running().stream().anyMatch(which);
      dispatcher.slots.end(which, CompactionJob.End.AFTER_TABLE);
      return found;
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /** Returns the present backlog of a family. */
  public Backlog backlog(int family) {
    dispatcher.lock.lock();
    try {
      return dispatcher.planners().of(family).backlog();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Waits until all merges have ended and no policy wants a plan, or the compactor is closed.
   *
   * @throws CorruptionException if the last plan of a family failed at a damaged table; any other
   *     failure of such a plan is thrown as well
   * @throws InterruptedException if the thread is interrupted
   */
  public void awaitIdle() throws InterruptedException {
    dispatcher.lock.lock();
    try {
      while (!dispatcher.closed() && !dispatcher.idle()) {
        rethrowFailure();
        dispatcher.changed.await();
      }
      rethrowFailure();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Runs a major compaction: merges the data that a family has in tables now into one run, and
   * waits for it. Later flushes are left out, and so are damaged tables with all tables that must
   * be merged with them. A table that cannot be opened is left out if it needs no merge with
   * others. A merge that began earlier and lacks disk space does not fail the major compaction.
   *
   * @throws CorruptionException after the rest is done, if a damaged table was left out; any other
   *     failure of the family's last plan is thrown at once
   * @throws java.io.UncheckedIOException after the rest is done, if an unreadable table was left
   *     out
   * @throws io.coppice.base.ClosedException if the family was dropped
   * @throws InterruptedException if the thread is interrupted while it waits; durable steps stay
   */
  public void everything(int family) throws InterruptedException {
    dispatcher.lock.lock();
    try {
      FamilyPlanner planner = dispatcher.planners().of(family);
      while (planner.major().isRunning() && !dispatcher.closed()) {
        dispatcher.changed.await();
      }
      planner.major().begin();
      // Earlier failures are retried at once.
      planner.retry().recovered();
      dispatcher.changed();
      try {
        while (!dispatcher.closed()
            && !planner.stopped()
            && !(planner.idle() && !planner.wantsMore())) {
          rethrow(planner.retry().failure());
          dispatcher.changed.await();
        }
        rethrow(planner.retry().failure());
        rethrow(planner.major().faultOfSkippedTables());
      } finally {
        planner.major().end();
        dispatcher.changed();
      }
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /** Ends the pause that follows a failed plan of a family, so that its policy is asked at once. */
  public void retry(int family) {
    dispatcher.lock.lock();
    try {
      dispatcher.planners().of(family).retry().end();
      dispatcher.changed();
    } finally {
      dispatcher.lock.unlock();
    }
  }

  /**
   * Discards the unfinished steps of running merges, stops the workers and waits for their end.
   * Idempotent.
   */
  @Override
  public void close() {
    dispatcher.lock.lock();
    try {
      dispatcher.close();
    } finally {
      dispatcher.lock.unlock();
    }
    dispatcher.slots.close();
  }

  @GuardedBy("dispatcher.lock")
  private void rethrowFailure() {
    rethrow(dispatcher.planners().failure());
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
