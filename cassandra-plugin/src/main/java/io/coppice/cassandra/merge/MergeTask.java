// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.PurgeRule;
import io.coppice.cassandra.sstable.RepairState;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.MergeQueue;
import io.coppice.cassandra.state.QueuedMerge;
import io.coppice.cassandra.state.Rounds;
import io.coppice.cassandra.state.TableState;
import io.coppice.cassandra.state.TransientSpaceLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.writers.CompactionAwareWriter;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.Throwables;
import org.apache.cassandra.utils.concurrent.UncheckedInterruptedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A compaction task that carries out a stepped merge ({@link SteppedMerge}), by one step or to its
 * end.
 *
 * <p>A background task does one step, then returns its thread, so that a more urgent plan can run
 * next. A task that an operator waits for does all steps. Each step is a transaction of its own:
 *
 * <pre>
 * execute ── claim the pinned outputs          ({@link PinnedOutputs})
 *         ── choose a step, reserve its space  ({@link StepSpaceReservation}, {@link StepPicker})
 *         ── split the inputs that end at the cut off the claim ({@link StepWork})
 *         ── merge and commit; the commit deletes those inputs ({@link MergeStep})
 *         ── set the cut as cursor of the straddling inputs
 *         ── more steps, if this task runs to the end
 *         ── close the claim
 * </pre>
 *
 * <p>If the space or the memory is too small for all runs of the merge, it goes by rounds (see
 * {@link Rounds}). A background task then drops the inputs of later rounds from its claim, and the
 * policy plans them again. A task that runs to the end keeps them for its next round.
 *
 * <p>Cassandra pauses compactions, for instance to truncate a table. A pause stops a background
 * task and a whole merge. A part of a major compaction instead closes its claim, waits for the end
 * of the pause and continues with its remaining inputs.
 *
 * <p>One thread runs a task. The parts of a major compaction wait in a queue ({@link MergeQueue}).
 * The thread that gets the turn carries out all queued parts. Any thread may stop a waiting part.
 */
public final class MergeTask extends AbstractCompactionTask implements QueuedMerge {

  private static final Logger LOGGER = LoggerFactory.getLogger(MergeTask.class);

  // Attempts to claim SSTables that another task has claimed, and the pause between them.
  private static final int CLAIM_ATTEMPTS = 100;
  private static final long CLAIM_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  // One minute: Cassandra waits as long for the compactions that it stops.
  private static final int PAUSE_ATTEMPTS = 600;

  /** How far a task carries its merge on. */
  public enum Scope {
    /** One step, in the background. */
    STEP,
    /**
     * To the end of the merge. The caller that made the task may close its claim as soon as it has
     * returned.
     */
    END,
    /** To the end, as a part of a major compaction, which leaves the claim to the task. */
    MAJOR
  }

  /**
   * Settings of a task.
   *
   * @param scope how far the task carries the merge on
   * @param writes whether it writes data; false if it only drops expired SSTables and so needs no
   *     disk space
   * @param gcBefore tombstones older than this, in seconds since the epoch, may be purged
   * @param rule the tombstones that a step may purge
   * @param transientLimit the limit on the transient bytes of all merges of the table together
   */
  public record Settings(
      Scope scope,
      boolean writes,
      long gcBefore,
      PurgeRule rule,
      TransientSpaceLimit transientLimit) {

    boolean whole() {
      return scope != Scope.STEP;
    }
  }

  private final SteppedMerge merge;
  private final OngoingMerges merges;
  private final Settings settings;
  private final TableState state;
  private final PinnedOutputs pinned;
  private final StepSpaceReservation space;

  // Common to all inputs; null without inputs.
  private final RepairState repairState;

  // Set by the thread on which Cassandra runs the task.
  private ActiveCompactionsTracker tracker = ActiveCompactionsTracker.NOOP;
  private MergeProgress progress;
  private boolean shown;
  private boolean needsTurn;

  // Reported once all other inputs are merged; null if no input is left out.
  private StepSpaceReservation.LackException leftOut;

  // Outcome of a part of a major compaction; neither is set if it was stopped before its turn.
  private volatile boolean merged;
  private volatile Throwable failure;

  /**
   * Creates a task for a claimed merge.
   *
   * @param transaction a claim over all remaining inputs of the merge; the task closes it
   */
  public MergeTask(
      ColumnFamilyStore cfs,
      LifecycleTransaction transaction,
      SteppedMerge merge,
      OngoingMerges merges,
      Settings settings,
      TableState state) {
    super(cfs, transaction);
    this.merge = merge;
    this.merges = merges;
    this.settings = settings;
    this.state = state;
    this.pinned = new PinnedOutputs(cfs, merge);
    this.space = new StepSpaceReservation(cfs, merge, settings, state);
    this.repairState = transaction.originals().stream().findAny().map(RepairState::of).orElse(null);
  }

  @Override
  public CompactionAwareWriter getCompactionAwareWriter(
      ColumnFamilyStore table,
      Directories directories,
      LifecycleTransaction inputs,
      Set<SSTableReader> nonExpired) {
    throw new UnsupportedOperationException("each step has a writer of its own");
  }

  /**
   * Runs the task on a thread of Cassandra.
   *
   * <p>The parts of a major compaction run one after the other, so that only one at a time fills
   * the disk and disturbs readers. The first part that gets a thread carries out all of them, and
   * the others return at once. The major compaction has therefore ended when all parts have
   * returned. The first part throws unless all are merged.
   *
   * <p>If space is limited, any other merge that runs to its end waits for its turn, because its
   * caller may close its claim once this method has returned.
   */
  @Override
  public int execute(ActiveCompactionsTracker active) {
    ActiveCompactionsTracker shownBy = active == null ? ActiveCompactionsTracker.NOOP : active;
    if (settings.scope == Scope.MAJOR) {
      // Another thread may carry it out already; during its last step the claim is empty.
      return executeParts(shownBy);
    }
    if (transaction.originals().isEmpty()) {
      return executeForCassandra();
    }
    tracker = shownBy;
    try {
      show();
      needsTurn = settings.whole() && space.shortFromTheStart(transaction.originals());
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
    if (!needsTurn) {
      return executeForCassandra();
    }
    MergeQueue<QueuedMerge> queue = queue();
    // A pause that began before the progress was registered did not stop this task; a later one
    // does.
    if (isPaused() || !queue.take(false, progress::isStopRequested)) {
      CompactionInterruptedException stopped = interrupted();
      end();
      throw stopped;
    }
    try {
      return executeForCassandra();
    } finally {
      queue.nextOrRelease();
    }
  }

  /**
   * Carries out all parts of major compactions of the table whose tasks Cassandra has queued. They
   * hold claims, so all are registered before the first one begins. A caller that wants one of
   * their SSTables can then stop them without waiting for threads.
   */
  private int executeParts(ActiveCompactionsTracker active) {
    MergeQueue<QueuedMerge> queue = queue();
    List<QueuedMerge> parts = queue.arrive(this);
    if (parts.isEmpty()) {
      return 0;
    }
    int inputs = 0;
    Throwable failures = null;
    try {
      parts.forEach(part -> part.begin(active));
      // A pause that began before they were registered has stopped none of them.
      while (isPaused()) {
        parts.forEach(QueuedMerge::letGoForAPause);
        awaitTheEndOfThePause();
        parts.forEach(QueuedMerge::claimAgain);
      }
      // Other threads may carry these out or stop them at the same time.
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
      failures = Throwables.merge(failures, lack.told());
    }
    Throwables.maybeFail(failures);
    return inputs;
  }

  /**
   * Carries a part out, perhaps one of another major compaction. A failure is reported to the
   * thread of that part.
   */
  @Override
  public int carryOut() {
    try {
      int inputs = executeAlone();
      merged = true;
      return inputs;
    } catch (Throwable e) {
      failure = e;
      return 0;
    }
  }

  /**
   * Returns the reason why a part whose turn is over has not been merged; null if it was merged.
   */
  @Override
  public Throwable outcome() {
    // A part still waits if this thread was interrupted or failed.
    Throwable outcome = Throwables.perform(failure, this::withdraw);
    return merged || outcome != null ? outcome : interrupted();
  }

  /** Lets a part wait for its turn. It can be stopped until then. */
  @Override
  public void begin(ActiveCompactionsTracker active) {
    tracker = active;
    needsTurn = true;
    enqueueAfter(
        () -> {
          merges.taskStarted(merge);
          show();
        });
  }

  @Override
  public void letGoForAPause() {
    // The part keeps its claim if it was stopped or its turn has begun.
    if (queue().withdraw(this)) {
      enqueueAfter(this::closeClaim);
    }
  }

  /**
   * Claims the remaining inputs of a part again after a pause, so that the part can be stopped. If
   * the claim fails now, the part claims them in its turn.
   */
  @Override
  public void claimAgain() {
    if (queue().withdraw(this)) {
      enqueueAfter(
          () -> {
            if (!merge.givenUp()) {
              new ClaimRenewal(cfs, merge, repairState).attempt().ifPresent(this::showAgain);
            }
          });
    }
  }

  private void showAgain(LifecycleTransaction claim) {
    transaction = claim;
    show();
  }

  /** Queues a part for the thread that has the turn, or ends it if the preparation fails. */
  private void enqueueAfter(Runnable ready) {
    try {
      ready.run();
      queue().enqueue(this);
      // A stop that came earlier did not find it in the queue.
      if (progress.isStopRequested()) {
        withdraw();
      }
    } catch (RuntimeException | Error e) {
      failure = Throwables.perform(e, this::end);
    }
  }

  /** Ends the task if its turn has not come. */
  private void withdraw() {
    if (queue().withdraw(this)) {
      end();
    }
  }

  private MergeQueue<QueuedMerge> queue() {
    return state.space().queue();
  }

  /** Returns the bytes on disk of all claimed inputs. */
  public long inputBytes() {
    return SSTableReader.getTotalBytes(transaction.originals());
  }

  /**
   * Announces that Cassandra will run this task as a part of a major compaction, with the others.
   */
  public void announce() {
    queue().announce(this);
  }

  private void end() {
    merge.giveUp();
    merge.setRunning(false);
    unshow();
    transaction.close();
    merges.taskEnded(merge);
  }

  private void show() {
    progress = new MergeProgress(cfs.metadata, compactionType, merge.id());
    progress.claimed(transaction.originals());
    progress.whenStopped(this::withdraw);
    tracker.beginCompaction(progress);
    shown = true;
  }

  private void unshow() {
    if (shown) {
      shown = false;
      progress.end();
      tracker.finishCompaction(progress);
    }
  }

  private int executeAlone() {
    try {
      return super.execute(tracker);
    } finally {
      merges.taskEnded(merge);
    }
  }

  private int executeForCassandra() {
    try {
      return executeAlone();
    } catch (StepSpaceReservation.LackException e) {
      throw e.told();
    }
  }

  @Override
  protected int executeInternal(ActiveCompactionsTracker active) {
    int inputs = transaction.originals().size();
    // A part that resumes after a pause may have no inputs left.
    if (inputs > 0 || shown) {
      try {
        merges.taskStarted(merge);
        runSteps();
      } catch (IOException e) {
        merge.fail(e);
        throw new UncheckedIOException(e);
      } catch (StepSpaceReservation.LackException e) {
        if (e.passes()) {
          merge.giveUp();
        } else {
          merge.fail(e);
        }
        throw e;
      } catch (CompactionInterruptedException e) {
        merge.giveUp();
        throw e;
      } catch (RuntimeException | Error e) {
        merge.fail(e);
        throw e;
      } finally {
        releaseClaim();
      }
    }
    return inputs;
  }

  private void releaseClaim() {
    try {
      pinned.release();
    } finally {
      state.space().releaseIfEnded(merge);
      unshow();
      // Runs before the claim is closed. A major compaction that waits for the claim then takes
      // over the rest; any other plan finds the inputs claimed for one instant longer.
      merge.setRunning(false);
    }
  }

  @Override
  protected void runMayThrow() {
    executeInternal(ActiveCompactionsTracker.NOOP);
  }

  private void runSteps() throws IOException {
    if (merge.steps() == 0 && DatabaseDescriptor.isSnapshotBeforeCompaction()) {
      var now = FBUtilities.now();
      cfs.snapshotWithoutMemtable(now.toEpochMilli() + "-compact-" + cfs.name, now);
    }
    // A pause that began before the progress was registered did not stop this task. A later pause
    // stops the merges of the SSTables that it needs and lets others continue.
    giveWayToAPause();
    if (merge.finished()) {
      return;
    }
    if (settings.scope == Scope.MAJOR && ended()) {
      // The strategy ended while the part waited for its turn, so its plan is no longer valid.
      throw interrupted();
    }
    boolean more = true;
    while (more) {
      step();
      more = settings.whole() && !merge.finished() && !ended();
    }
    if (merge.finished()) {
      state.mergeEnded();
      if (leftOut != null) {
        throw leftOut;
      }
    } else if (settings.whole() && cfs.isValid()) {
      // The options or the ring have changed. A caller that waits must not take the merge for
      // completed.
      throw interrupted();
    }
  }

  private boolean isPaused() {
    return !cfs.getCompactionStrategyManager().isActive();
  }

  private boolean ended() {
    return merges.ended() || !cfs.isValid();
  }

  /**
   * Handles a pause of compactions. Cassandra does not say which SSTables the pause is for. A part
   * of a major compaction therefore closes its claim as if it had been stopped and, after the
   * pause, continues with its remaining inputs. Any other task is stopped and planned again.
   *
   * @throws CompactionInterruptedException if the task was stopped or gives up waiting
   */
  private void giveWayToAPause() {
    while (!shown || isPaused()) {
      if (settings.scope != Scope.MAJOR) {
        throw interrupted();
      }
      stopIfAsked();
      closeClaim();
      awaitTheEndOfThePause();
      showAgain(reclaimed());
    }
  }

  private void awaitTheEndOfThePause() {
    for (int attempt = 0; isPaused(); attempt++) {
      if (attempt == PAUSE_ATTEMPTS || ended() || Thread.currentThread().isInterrupted()) {
        throw interrupted();
      }
      LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
    }
    if (ended()) {
      throw interrupted();
    }
  }

  private void closeClaim() {
    pinned.release();
    // A caller waits for every registered compaction.
    unshow();
    transaction.close();
  }

  private CompactionInterruptedException interrupted() {
    return new CompactionInterruptedException(progress.getCompactionInfo());
  }

  private void stopIfAsked() {
    if (progress.isStopRequested()) {
      throw interrupted();
    }
  }

  private void step() throws IOException {
    stopIfAsked();
    claimPinned();
    if (merge.finished()) {
      return;
    }
    List<MergeInput> all = new ArrayList<>();
    for (SSTableReader input : transaction.originals()) {
      if (merge.takes(input)) {
        all.add(new MergeInput(input, merge.cursor(input)));
      }
    }
    List<MergeInput> inputs = withoutTooLarge(all);
    StepSpaceReservation.Held held =
        space.hold(inputs, transaction.originals(), needsTurn, progress::isStopRequested);
    long deadBytes = held.choice().deadBytesBefore();
    try {
      leaveToLaterRounds(inputs, held.inputs());
      new StepWork(cfs, merge, settings, compactionType, state)
          .carryOut(held.step(), held.outputBytes(), held.inputs(), transaction, progress);
      deadBytes = held.step().deadBytesAfter();
    } finally {
      state.space().stepEnded(merge, deadBytes);
    }
    awaitDeletions();
    boolean trimmed = held.step() instanceof StepPicker.Trim && settings.whole();
    if (merge.beginsNextRound() || trimmed && !merge.finished()) {
      claimAnew();
    }
  }

  /** Leaves out SSTables that exceed the space by themselves, so that the others are rewritten. */
  private List<MergeInput> withoutTooLarge(List<MergeInput> inputs) {
    if (!settings.whole() || !settings.writes() || inputs.size() == 1) {
      return inputs;
    }
    List<MergeInput> tooLarge = space.tooLarge(inputs, transaction.originals());
    if (tooLarge.isEmpty() || tooLarge.size() == inputs.size()) {
      return inputs;
    }
    leftOut = StepSpaceReservation.LackException.both(leftOut, space.leavesOut(tooLarge));
    for (MergeInput input : tooLarge) {
      merge.drop(input.sstable());
      transaction.cancel(input.sstable());
    }
    showClaims();
    List<MergeInput> others = new ArrayList<>(inputs);
    others.removeAll(tooLarge);
    return others;
  }

  private void leaveToLaterRounds(List<MergeInput> inputs, List<MergeInput> taken) {
    if (taken.size() == inputs.size()) {
      return;
    }
    Set<SSTableReader> others = new HashSet<>();
    inputs.forEach(input -> others.add(input.sstable()));
    taken.forEach(input -> others.remove(input.sstable()));
    LOGGER.info(
        "{}.{}: merge {} starts with {} of {} SSTables, because not all runs fit {}",
        cfs.getKeyspaceName(),
        cfs.name,
        merge.id(),
        taken.size(),
        inputs.size(),
        space.isShort() ? "the space" : "in memory");
    if (settings.whole()) {
      merge.putAside(others);
      return;
    }
    others.forEach(merge::drop);
    others.forEach(transaction::cancel);
    showClaims();
  }

  /**
   * Waits until the files of committed steps are deleted, if space is short. Cassandra deletes them
   * a moment after the commit, and the next step, perhaps one of another part of a major
   * compaction, needs their space.
   */
  private void awaitDeletions() {
    try {
      if (space.isShort()) {
        if (settings.whole() || !merge.finished()) {
          LifecycleTransaction.waitForDeletions();
        }
      } else if (settings.scope == Scope.MAJOR) {
        state.space().awaitEarlierDeletions();
      }
    } catch (CancellationException | UncheckedInterruptedException e) {
      // The node shuts down. Merged data stays merged.
      if (e instanceof UncheckedInterruptedException) {
        Thread.currentThread().interrupt();
      }
      if (!merge.finished()) {
        throw interrupted();
      }
    }
  }

  /**
   * Claims the pinned outputs.
   *
   * <p>During a pause, the caller that paused compactions may want one of these outputs, because
   * they were not registered before. A part of a major compaction then closes its claim until the
   * pause ends, and may find no inputs left afterwards. Any other task forgets its cursors and
   * merges the data before them again.
   */
  private void claimPinned() {
    awaitPinned();
    while (!pinned.claimed().isEmpty() && isPaused()) {
      if (settings.scope == Scope.MAJOR) {
        giveWayToAPause();
        awaitPinned();
      } else {
        pinned.release();
        transaction.originals().forEach(merge::forget);
        showClaims();
      }
    }
  }

  /**
   * Waits for SSTables that another task has claimed; mostly that takes an instant. A background
   * task does not wait, because it is created only once they are free, see {@code
   * TaskFactory.nextStep}.
   */
  private void awaitPinned() {
    int attempts = settings.whole() ? CLAIM_ATTEMPTS : 0;
    for (int attempt = 0;
        attempt < attempts && !isPaused() && !pinned.attempt(transaction.originals());
        attempt++) {
      showClaims();
      stopIfAsked();
      LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
    }
    pinned.claim(transaction.originals());
    showClaims();
  }

  /** Registers every claimed SSTable, so that a caller that wants one finds the task to stop. */
  private void showClaims() {
    Set<SSTableReader> claimed = new HashSet<>(transaction.originals());
    claimed.addAll(pinned.claimed());
    progress.claimed(claimed);
  }

  /** Claims all remaining inputs of the merge after it has got new ones. */
  private void claimAnew() {
    // The pinned outputs may be inputs now.
    pinned.release();
    transaction.close();
    transaction = reclaimed();
    showClaims();
    // A caller that paused compactions in between may want one that was not registered.
    giveWayToAPause();
  }

  /**
   * Returns a claim over all remaining inputs of the merge.
   *
   * @throws CompactionInterruptedException if the task was stopped or the claim failed for ten
   *     seconds
   */
  private LifecycleTransaction reclaimed() {
    ClaimRenewal reclaim = new ClaimRenewal(cfs, merge, repairState);
    for (int attempt = 0; attempt < CLAIM_ATTEMPTS && !merge.givenUp(); attempt++) {
      stopIfAsked();
      Optional<LifecycleTransaction> claim = reclaim.attempt();
      if (claim.isPresent()) {
        return claim.get();
      }
      LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
    }
    throw interrupted();
  }
}
