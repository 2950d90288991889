// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.RepairState;
import io.coppice.cassandra.sstable.SteppedMerge;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * SSTables that a task has claimed for its merge, and their registration with Cassandra.
 *
 * <pre>
 * transaction    the remaining inputs of the merge; each step splits its consumed inputs off
 * pinned         the outputs that cursors rely on ({@link PinnedOutputs})
 * progress       names all of them to Cassandra, which thereby finds the task to stop
 * </pre>
 *
 * <p>Cassandra pauses compactions, for instance to truncate a table, and does not say which
 * SSTables the pause is for. A pause stops the registered tasks of the SSTables that it needs, so a
 * task checks for pauses only after it has registered SSTables. A pause that it finds then stops
 * the task. A part of a major compaction instead closes its claim, waits for the end of the pause
 * and claims its remaining inputs again.
 *
 * <p>Used by one thread at a time: the {@code MergeQueue} hands parts from one thread to the next.
 */
final class MergeClaim {

  // Attempts to claim SSTables that another task has claimed, and the pause between them.
  private static final int CLAIM_ATTEMPTS = 100;
  private static final long CLAIM_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  // One minute, which Cassandra also waits for the compactions that it stops.
  private static final int PAUSE_ATTEMPTS = 600;

  private final ColumnFamilyStore cfs;
  private final SteppedMerge merge;
  private final OngoingMerges merges;
  private final MergeTask.Settings settings;
  private final Supplier<OperationType> type;
  private final Consumer<LifecycleTransaction> onRenewal;
  private final PinnedOutputs pinned;

  // Repair state of all inputs; null without inputs.
  private final RepairState repairState;

  private LifecycleTransaction transaction;
  private ActiveCompactionsTracker tracker = ActiveCompactionsTracker.NOOP;
  private Runnable whenStopped = () -> {};
  private MergeProgress progress;
  private boolean registered;

  /**
   * Takes over the claim of a new task.
   *
   * @param transaction a claim over all remaining inputs of the merge, which {@link #close} closes
   * @param type the type of the task, which Cassandra sets after it has created the task
   * @param onRenewal receives each transaction that replaces the previous one
   */
  MergeClaim(
      MergeTask.Job job,
      LifecycleTransaction transaction,
      Supplier<OperationType> type,
      Consumer<LifecycleTransaction> onRenewal) {
    this.cfs = job.cfs();
    this.merge = job.merge();
    this.merges = job.merges();
    this.settings = job.settings();
    this.transaction = transaction;
    this.type = type;
    this.onRenewal = onRenewal;
    this.pinned = new PinnedOutputs(cfs, merge);
    this.repairState = transaction.originals().stream().findAny().map(RepairState::of).orElse(null);
  }

  /** Returns the current claim over the remaining inputs, which a renewal replaces. */
  LifecycleTransaction transaction() {
    return transaction;
  }

  /** Returns the claimed inputs. */
  Set<SSTableReader> inputs() {
    return transaction.originals();
  }

  /** Returns the progress since the last registration; null before the first one. */
  MergeProgress progress() {
    return progress;
  }

  // --- registration ---

  /**
   * Registers the claimed inputs with Cassandra.
   *
   * @param active the tracker, also for later registrations
   * @param onStop called by the thread that stops the task, in addition to setting the request; it
   *     must not block
   */
  void register(ActiveCompactionsTracker active, Runnable onStop) {
    tracker = active;
    whenStopped = onStop;
    register();
  }

  private void register() {
    progress = new MergeProgress(cfs.metadata, type.get(), merge.id());
    progress.claimed(inputs());
    progress.whenStopped(whenStopped);
    tracker.beginCompaction(progress);
    registered = true;
  }

  boolean isRegistered() {
    return registered;
  }

  void unregister() {
    if (registered) {
      registered = false;
      progress.end();
      tracker.finishCompaction(progress);
    }
  }

  /** Registers every claimed SSTable, so that a caller that wants one finds the task to stop. */
  private void updateRegistration() {
    Set<SSTableReader> claimed = new HashSet<>(inputs());
    claimed.addAll(pinned.claimed());
    progress.claimed(claimed);
  }

  boolean isStopRequested() {
    return progress.isStopRequested();
  }

  /**
   * Checks whether the task was stopped.
   *
   * @throws CompactionInterruptedException if it was
   */
  void stopIfAsked() {
    if (isStopRequested()) {
      throw interrupted();
    }
  }

  /** Returns the exception of a stopped task, which Cassandra does not report as a fault. */
  CompactionInterruptedException interrupted() {
    return new CompactionInterruptedException(progress.getCompactionInfo());
  }

  // --- claims for a step ---

  /**
   * Claims the pinned outputs. A task that runs to the end waits up to ten seconds for outputs that
   * another task has claimed; then the merge forgets the cursors that rely on them.
   *
   * <p>These outputs were not registered before, so a pause that has begun may be for one of them.
   * During a pause, a part of a major compaction closes its claim until the pause ends, and may
   * find no inputs left afterwards. Any other task forgets its cursors and merges the data before
   * them again.
   *
   * @throws CompactionInterruptedException if the task was stopped while it waited, or as {@link
   *     #giveWayToPause} says
   */
  void claimPinned() {
    awaitPinned();
    while (!pinned.claimed().isEmpty() && isPaused()) {
      if (settings.isMajor()) {
        giveWayToPause();
        awaitPinned();
      } else {
        pinned.release();
        inputs().forEach(merge::forget);
        updateRegistration();
      }
    }
  }

  /**
   * Waits for pinned outputs that another task has claimed; mostly that takes an instant. A
   * background task does not wait, because it is created only once they are free, see {@code
   * TaskFactory.nextStep}.
   */
  private void awaitPinned() {
    int attempts = settings.whole() ? CLAIM_ATTEMPTS : 0;
    for (int attempt = 0;
        attempt < attempts && !isPaused() && !pinned.attempt(inputs());
        attempt++) {
      updateRegistration();
      stopIfAsked();
      LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
    }
    pinned.claim(inputs());
    updateRegistration();
  }

  /** Releases inputs that the merge leaves out, so that other plans can take them. */
  void leaveOut(Set<SSTableReader> inputs) {
    inputs.forEach(merge::drop);
    inputs.forEach(transaction::cancel);
    updateRegistration();
  }

  /**
   * Claims all remaining inputs of the merge after a step has added inputs to it. Waits up to ten
   * seconds while another task has claimed one of them. If compactions are paused then, handles the
   * pause as {@link #giveWayToPause} does.
   *
   * @throws CompactionInterruptedException if the task was stopped, the merge was given up, no
   *     claim succeeded in time, or as {@link #giveWayToPause} says
   */
  void claimNewInputs() {
    // The pinned outputs may be inputs now.
    pinned.release();
    transaction.close();
    renew(awaitRenewal());
    updateRegistration();
    // A pause that began in between may be for one of the new inputs, which were not registered.
    giveWayToPause();
  }

  // --- pauses ---

  boolean isPaused() {
    return !cfs.getCompactionStrategyManager().isActive();
  }

  /**
   * Returns whether the strategy instance or its table has ended, so that plans of the instance are
   * no longer valid.
   */
  boolean strategyEnded() {
    return merges.ended() || !cfs.isValid();
  }

  /**
   * Handles a pause of compactions, if there is one. A part of a major compaction waits up to a
   * minute for its end, without a claim, then claims its remaining inputs again. Any other task is
   * interrupted, and the policy plans its merge again.
   *
   * @throws CompactionInterruptedException if compactions are paused and the task is no part of a
   *     major compaction, if the part was stopped, or if it waited in vain
   */
  void giveWayToPause() {
    while (!registered || isPaused()) {
      if (!settings.isMajor()) {
        throw interrupted();
      }
      stopIfAsked();
      closeForPause();
      awaitEndOfPause();
      renew(awaitRenewal());
      register();
    }
  }

  /** Closes the claim and the registration for a pause; {@link #tryReopen} undoes it. */
  void closeForPause() {
    pinned.release();
    // The caller that pauses waits for every registered compaction.
    unregister();
    transaction.close();
  }

  /**
   * Waits for the end of a pause.
   *
   * @throws CompactionInterruptedException if the strategy ends, the thread is interrupted, or the
   *     pause takes longer than a minute
   */
  void awaitEndOfPause() {
    for (int attempt = 0; isPaused(); attempt++) {
      if (attempt == PAUSE_ATTEMPTS || strategyEnded() || Thread.currentThread().isInterrupted()) {
        throw interrupted();
      }
      LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
    }
    if (strategyEnded()) {
      throw interrupted();
    }
  }

  /**
   * Claims and registers the remaining inputs after a pause, unless another task has claimed one of
   * them.
   */
  void tryReopen() {
    if (!merge.givenUp()) {
      new ClaimRenewal(cfs, merge, repairState)
          .attempt()
          .ifPresent(
              claim -> {
                renew(claim);
                register();
              });
    }
  }

  /**
   * Returns a new claim over all remaining inputs of the merge. Waits up to ten seconds while
   * another task has claimed one of them.
   *
   * @throws CompactionInterruptedException if the task was stopped, the merge was given up, or it
   *     waited in vain
   */
  private LifecycleTransaction awaitRenewal() {
    ClaimRenewal renewal = new ClaimRenewal(cfs, merge, repairState);
    for (int attempt = 0; attempt < CLAIM_ATTEMPTS && !merge.givenUp(); attempt++) {
      stopIfAsked();
      Optional<LifecycleTransaction> claim = renewal.attempt();
      if (claim.isPresent()) {
        return claim.get();
      }
      LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
    }
    throw interrupted();
  }

  private void renew(LifecycleTransaction claim) {
    transaction = claim;
    onRenewal.accept(claim);
  }

  // --- the end ---

  void releasePinned() {
    pinned.release();
  }

  /** Closes the claim and the registration of a task that never began. */
  void close() {
    unregister();
    transaction.close();
  }
}
