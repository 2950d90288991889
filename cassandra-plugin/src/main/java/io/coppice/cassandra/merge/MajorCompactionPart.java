// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.state.MergeQueue;
import io.coppice.cassandra.state.QueuedMerge;
import java.util.List;
import java.util.Optional;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.utils.Throwables;

/**
 * The merge of one task as a part of a major compaction.
 *
 * <p>The parts of a major compaction run one after the other, so that only one at a time fills the
 * disk and disturbs readers. The first part that gets a thread of Cassandra begins all of them and
 * carries them out; the others return at once:
 *
 * <pre>
 * announced ── execute ── begin ──► queued ── carryOut ──► merged or failed
 *                                   │   ▲
 *                   letGoForAPause  ▼   │  claimAgain
 *                             without a claim
 * </pre>
 *
 * <p>A queued part holds a claim and is registered with Cassandra. A caller that wants one of its
 * SSTables can thus stop the part without waiting for a thread. The thread that takes a part out of
 * the queue owns it and must carry it out, or end it after a stop. Any thread may stop a part.
 */
final class MajorCompactionPart implements QueuedMerge {

  private final MergeTask task;
  private final MergeTask.Job job;
  private final MergeClaim claim;
  private final MergeQueue<QueuedMerge> queue;

  // Both stay unset if the part was stopped before its turn.
  private volatile boolean merged;
  private volatile Throwable failure;

  MajorCompactionPart(MergeTask task, MergeTask.Job job, MergeClaim claim) {
    this.task = task;
    this.job = job;
    this.claim = claim;
    this.queue = job.state().space().queue();
  }

  /** Announces that Cassandra will run the task, together with the other announced ones. */
  void announce() {
    queue.announce(this);
  }

  /**
   * Registers and queues all announced parts, waits for the end of a pause and then for the turn of
   * the {@link MergeQueue}. With the turn, it carries out queued parts, its own and others, until
   * the queue is empty. Gives up the wait once other threads have ended all its parts. Returns 0 at
   * once if the thread of another part has already taken this one.
   *
   * @return the number of inputs of all merges that this thread carried out
   * @throws RuntimeException unless all announced parts are merged, by this thread or another; the
   *     first failure, with the others suppressed
   */
  int execute(ActiveCompactionsTracker active) {
    List<QueuedMerge> parts = queue.arrive(this);
    if (parts.isEmpty()) {
      return 0;
    }
    int inputs = 0;
    Throwable failures = null;
    try {
      parts.forEach(part -> part.begin(active));
      // A pause that began before the parts were registered has stopped none of them.
      while (claim.isPaused()) {
        parts.forEach(QueuedMerge::letGoForAPause);
        claim.awaitEndOfPause();
        parts.forEach(QueuedMerge::claimAgain);
      }
      // Other threads may carry out or stop some of these parts at the same time.
      if (queue.take(true, () -> queue.areAllDone(parts))) {
        for (Optional<QueuedMerge> part = queue.nextOrRelease();
            part.isPresent();
            part = queue.nextOrRelease()) {
          inputs += part.get().carryOut();
        }
      }
    } catch (RuntimeException | Error e) {
      failures = e;
    }
    throwFailures(parts, failures);
    return inputs;
  }

  private static void throwFailures(List<QueuedMerge> parts, Throwable first) {
    Throwable failures = first;
    StepSpaceReservation.LackException lack = null;
    for (QueuedMerge part : parts) {
      Throwable outcome = part.outcome();
      if (outcome instanceof StepSpaceReservation.LackException next) {
        lack = StepSpaceReservation.LackException.both(lack, next);
      } else if (outcome != failures) {
        failures = Throwables.merge(failures, outcome);
      }
    }
    if (lack != null) {
      failures = Throwables.merge(failures, lack.interruption());
    }
    Throwables.maybeFail(failures);
  }

  @Override
  public void begin(ActiveCompactionsTracker active) {
    enqueueAfter(
        () -> {
          job.merges().taskStarted(job.merge());
          claim.register(active, this::withdraw);
        });
  }

  @Override
  public void letGoForAPause() {
    // A part that was stopped or whose turn has begun keeps its claim.
    if (queue.withdraw(this)) {
      enqueueAfter(claim::closeForPause);
    }
  }

  /** Claims the remaining inputs again. If that fails, the part claims them in its turn. */
  @Override
  public void claimAgain() {
    if (queue.withdraw(this)) {
      enqueueAfter(claim::tryReopen);
    }
  }

  /**
   * Queues the part for the thread that has the turn, or ends it if {@code ready} fails.
   *
   * @param ready runs before the part is queued
   */
  private void enqueueAfter(Runnable ready) {
    try {
      ready.run();
      queue.enqueue(this);
      // A stop before this point did not find the part in the queue.
      if (claim.isStopRequested()) {
        withdraw();
      }
    } catch (RuntimeException | Error e) {
      failure = Throwables.perform(e, task::abandon);
    }
  }

  /** Takes the part out of the queue and ends it; has no effect once its turn has come. */
  private void withdraw() {
    if (queue.withdraw(this)) {
      task.abandon();
    }
  }

  @Override
  public int carryOut() {
    try {
      int inputs = task.executeAlone();
      merged = true;
      return inputs;
    } catch (Throwable e) {
      failure = e;
      return 0;
    }
  }

  @Override
  public Throwable outcome() {
    // The part is still queued if this thread was interrupted or failed.
    Throwable outcome = Throwables.perform(failure, this::withdraw);
    return merged || outcome != null ? outcome : claim.interrupted();
  }
}
