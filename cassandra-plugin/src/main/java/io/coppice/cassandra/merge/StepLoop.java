// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.step.StepPicker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.concurrent.UncheckedInterruptedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loop of the steps that one task carries out of a merge: one in the background, else all that are
 * left.
 *
 * <pre>
 * run  ── check for a pause                          ({@link MergeClaim})
 *      └─ step, until the merge or the strategy ends
 *           ├─ claim the pinned outputs              ({@link MergeClaim})
 *           ├─ leave out SSTables that exceed the space
 *           ├─ choose the step, reserve its space    ({@link StepSpaceReservation})
 *           ├─ drop the inputs of later rounds, or put them aside
 *           ├─ merge and commit                      ({@link StepWork})
 *           └─ wait for the deletion of the consumed inputs, if space is short
 * </pre>
 *
 * <p>If the space or the memory is too small for all runs of the merge, it goes by rounds, see
 * {@code Rounds}. A background task then drops the inputs of later rounds from its claim, and the
 * policy plans them again. A task that runs to the end keeps them for its next round.
 *
 * <p>Used by one thread.
 */
final class StepLoop {

  private static final Logger LOGGER = LoggerFactory.getLogger(StepLoop.class);

  private final MergeTask.Job job;
  private final ColumnFamilyStore cfs;
  private final SteppedMerge merge;
  private final MergeTask.Settings settings;
  private final TableState state;
  private final MergeClaim claim;
  private final StepSpaceReservation space;
  private final boolean holdsTurn;
  private final OperationType type;

  // Failure to report once all other inputs are merged; null if no input is left out.
  private StepSpaceReservation.LackException leftOut;

  /**
   * Creates the loop of a task.
   *
   * @param holdsTurn whether the task has the turn of {@code MergeQueue} and may ask other merges
   *     for their space
   */
  StepLoop(
      MergeTask.Job job,
      MergeClaim claim,
      StepSpaceReservation space,
      boolean holdsTurn,
      OperationType type) {
    this.job = job;
    this.cfs = job.cfs();
    this.merge = job.merge();
    this.settings = job.settings();
    this.state = job.state();
    this.claim = claim;
    this.space = space;
    this.holdsTurn = holdsTurn;
    this.type = type;
  }

  /**
   * Carries out one step or all remaining ones.
   *
   * @throws CompactionInterruptedException if the merge was stopped, or has inputs left although it
   *     should have ended
   * @throws StepSpaceReservation.LackException if the space is too small for some inputs
   */
  void run() throws IOException {
    if (merge.steps() == 0 && DatabaseDescriptor.isSnapshotBeforeCompaction()) {
      var now = FBUtilities.now();
      cfs.snapshotWithoutMemtable(now.toEpochMilli() + "-compact-" + cfs.name, now);
    }
    // A pause that began before the progress was registered did not stop this task. A later pause
    // stops the merges of the SSTables that it needs and lets others continue.
    claim.giveWayToPause();
    if (merge.finished()) {
      return;
    }
    if (settings.isMajor() && claim.strategyEnded()) {
      // The strategy ended while the part waited for its turn, so its plan is no longer valid.
      throw claim.interrupted();
    }
    boolean more = true;
    while (more) {
      step();
      more = settings.whole() && !merge.finished() && !claim.strategyEnded();
    }
    if (merge.finished()) {
      state.counts().add(CompactionMetricId.MERGES, 1);
      if (leftOut != null) {
        throw leftOut;
      }
    } else if (settings.whole() && cfs.isValid()) {
      // The options or the ring have changed. The caller must not take the merge for completed.
      throw claim.interrupted();
    }
  }

  private void step() throws IOException {
    claim.stopIfAsked();
    claim.claimPinned();
    if (merge.finished()) {
      return;
    }
    List<MergeInput> inputs = withoutTooLarge(inputsOfRound());
    StepSpaceReservation.Held held =
        space.hold(inputs, claim.inputs(), holdsTurn, claim::isStopRequested);
    long deadBytes = held.choice().deadBytesBefore();
    try {
      dropOrPutAside(inputs, held.inputs());
      new StepWork(job, type)
          .carryOut(
              held.step(),
              held.outputBytes(),
              held.inputs(),
              claim.transaction(),
              claim.progress());
      deadBytes = held.step().deadBytesAfter();
    } finally {
      state.space().stepEnded(merge, deadBytes);
    }
    awaitDeletions();
    boolean trimmed = held.step() instanceof StepPicker.Trim && settings.whole();
    if (merge.beginsNextRound() || trimmed && !merge.finished()) {
      claim.claimNewInputs();
    }
  }

  private List<MergeInput> inputsOfRound() {
    List<MergeInput> inputs = new ArrayList<>();
    for (SSTableReader input : claim.inputs()) {
      if (merge.takes(input)) {
        inputs.add(new MergeInput(input, merge.cursor(input)));
      }
    }
    return inputs;
  }

  /**
   * Returns the inputs without SSTables that exceed the space by themselves, which the merge leaves
   * out so that it rewrites the others.
   */
  private List<MergeInput> withoutTooLarge(List<MergeInput> inputs) {
    if (!settings.whole() || !settings.writes() || inputs.size() == 1) {
      return inputs;
    }
    List<MergeInput> tooLarge = space.tooLarge(inputs, claim.inputs());
    if (tooLarge.isEmpty() || tooLarge.size() == inputs.size()) {
      return inputs;
    }
    leftOut = StepSpaceReservation.LackException.both(leftOut, space.leavesOut(tooLarge));
    claim.leaveOut(sstables(tooLarge));
    List<MergeInput> others = new ArrayList<>(inputs);
    others.removeAll(tooLarge);
    return others;
  }

  private void dropOrPutAside(List<MergeInput> inputs, List<MergeInput> taken) {
    if (taken.size() == inputs.size()) {
      return;
    }
    LOGGER.info(
        "{}.{}: merge {} starts with {} of {} SSTables, because not all runs fit {}",
        cfs.getKeyspaceName(),
        cfs.name,
        merge.id(),
        taken.size(),
        inputs.size(),
        space.isShort() ? "the space" : "in memory");
    Set<SSTableReader> others = sstables(inputs);
    others.removeAll(sstables(taken));
    if (settings.whole()) {
      merge.putAside(others);
    } else {
      claim.leaveOut(others);
    }
  }

  private static Set<SSTableReader> sstables(List<MergeInput> inputs) {
    Set<SSTableReader> sstables = new HashSet<>();
    inputs.forEach(input -> sstables.add(input.sstable()));
    return sstables;
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
      } else if (settings.isMajor()) {
        state.space().awaitEarlierDeletions();
      }
    } catch (CancellationException | UncheckedInterruptedException e) {
      // The node shuts down. Data merged so far stays merged.
      if (e instanceof UncheckedInterruptedException) {
        Thread.currentThread().interrupt();
      }
      if (!merge.finished()) {
        throw claim.interrupted();
      }
    }
  }
}
