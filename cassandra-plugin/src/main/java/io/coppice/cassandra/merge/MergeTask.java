// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.PurgeRule;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.MergeQueue;
import io.coppice.cassandra.state.QueuedMerge;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.step.TransientSpaceLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.writers.CompactionAwareWriter;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Compaction task that carries out a stepped merge ({@link SteppedMerge}), by one step or to its
 * end.
 *
 * <p>A background task does one step, then returns its thread, so that a more urgent plan can run
 * next. A task that an operator waits for does all steps. Each step is a transaction of its own.
 *
 * <p>This class decides when the task runs and reports its outcome to the merge. Other classes do
 * the rest:
 *
 * <pre>
 * execute ── a step or a small merge  ── at once
 *         ├─ a merge in short space   ── in its turn ({@link MergeQueue})
 *         └─ part of a major compaction ── in its turn, on the thread of the first part
 *                                           ({@link MajorCompactionPart})
 * turn    ── {@link StepLoop}, on the SSTables of {@link MergeClaim}
 * outcome ── finished, to be continued, given up after a stop, or failed
 * </pre>
 *
 * <p>One thread at a time uses a task.
 */
public final class MergeTask extends AbstractCompactionTask {

  /** How much of its merge a task carries out. */
  public enum Scope {
    /** One step, in the background. */
    STEP,
    /**
     * All steps to the end of the merge, as a task that an operator requested. Cassandra may close
     * the task's claim as soon as the task has returned.
     */
    END,
    /** All steps to the end, as a part of a major compaction. The task itself closes its claim. */
    MAJOR
  }

  /**
   * Settings of a task.
   *
   * @param scope how much of the merge the task carries out
   * @param writes whether the task writes data; false if it only drops expired SSTables and so
   *     needs no disk space
   * @param gcBefore tombstones older than this, in seconds since the epoch, may be purged
   * @param rule the tombstones that a step may purge
   * @param transientLimit the limit on the transient bytes of all merges of the table together;
   *     evaluated before each step
   */
  public record Settings(
      Scope scope,
      boolean writes,
      long gcBefore,
      PurgeRule rule,
      TransientSpaceLimit transientLimit) {

    /** Returns whether the task runs to the end of the merge. */
    boolean whole() {
      return scope != Scope.STEP;
    }

    boolean isMajor() {
      return scope == Scope.MAJOR;
    }
  }

  /**
   * Merge of a task, with its surroundings.
   *
   * @param merges the ongoing merges of the strategy instance, among them this one
   */
  record Job(
      ColumnFamilyStore cfs,
      SteppedMerge merge,
      OngoingMerges merges,
      Settings settings,
      TableState state) {}

  private final Job job;
  private final SteppedMerge merge;
  private final OngoingMerges merges;
  private final Settings settings;
  private final MergeClaim claim;
  private final MajorCompactionPart part;
  private final StepSpaceReservation space;

  // Whether the merge waits for its turn although it is no part of a major compaction.
  private boolean takesTurn;

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
    this.job = new Job(cfs, merge, merges, settings, state);
    // Cassandra closes the field of the superclass.
    this.claim =
        new MergeClaim(
            job, transaction, () -> compactionType, renewed -> this.transaction = renewed);
    this.part = new MajorCompactionPart(this, job, claim);
    this.space = new StepSpaceReservation(job);
  }

  @Override
  public CompactionAwareWriter getCompactionAwareWriter(
      ColumnFamilyStore table,
      Directories directories,
      LifecycleTransaction inputs,
      Set<SSTableReader> nonExpired) {
    throw new UnsupportedOperationException("each step has a writer of its own");
  }

  /** Returns the bytes on disk of all claimed inputs. */
  public long inputBytes() {
    return SSTableReader.getTotalBytes(claim.inputs());
  }

  /**
   * Announces to the table's merge queue that Cassandra will run this task as a part of a major
   * compaction, see {@link MergeQueue#announce}.
   */
  public void announce() {
    part.announce();
  }

  /**
   * Runs the task on a thread of Cassandra.
   *
   * <p>A part of a major compaction may also run the other parts or return at once, see {@link
   * MajorCompactionPart}. The major compaction has ended when all parts have returned. The first
   * part throws unless all are merged.
   *
   * <p>If space is limited, any other merge that runs to its end waits for its turn, because its
   * caller may close its claim once this method has returned.
   *
   * @param active the tracker of running compactions, or null
   * @return the number of inputs of the merges that this call carried out
   * @throws CompactionInterruptedException if the merge was stopped, or lacks space
   */
  @Override
  public int execute(ActiveCompactionsTracker active) {
    ActiveCompactionsTracker tracker = active == null ? ActiveCompactionsTracker.NOOP : active;
    if (settings.isMajor()) {
      // Another thread may be carrying out this part already; during its last step the claim is
      // empty.
      return part.execute(tracker);
    }
    if (claim.inputs().isEmpty()) {
      return executeForCassandra();
    }
    try {
      claim.register(tracker, () -> {});
      takesTurn = settings.whole() && space.shortFromTheStart(claim.inputs());
    } catch (RuntimeException | Error e) {
      abandon();
      throw e;
    }
    return takesTurn ? executeInTurn() : executeForCassandra();
  }

  private int executeInTurn() {
    MergeQueue<QueuedMerge> queue = job.state().space().queue();
    // A pause that began before the progress was registered did not stop this task; a later one
    // does.
    if (claim.isPaused() || !queue.take(false, claim::isStopRequested)) {
      CompactionInterruptedException stopped = claim.interrupted();
      abandon();
      throw stopped;
    }
    try {
      return executeForCassandra();
    } finally {
      queue.nextOrRelease();
    }
  }

  private int executeForCassandra() {
    try {
      return executeAlone();
    } catch (StepSpaceReservation.LackException e) {
      throw e.interruption();
    }
  }

  /**
   * Runs the task, which has its turn, and then closes its claim.
   *
   * @return the number of inputs that were claimed at the start
   * @throws CompactionInterruptedException if the merge was stopped
   * @throws StepSpaceReservation.LackException if the space is too small for some inputs
   */
  int executeAlone() {
    try {
      return super.execute(ActiveCompactionsTracker.NOOP);
    } finally {
      merges.taskEnded(merge);
    }
  }

  @Override
  protected void runMayThrow() {
    executeInternal(ActiveCompactionsTracker.NOOP);
  }

  /** Carries out the steps and reports the outcome to the merge. */
  @Override
  protected int executeInternal(ActiveCompactionsTracker active) {
    int inputs = claim.inputs().size();
    // A part that resumes after a pause may have no inputs left.
    if (inputs > 0 || claim.isRegistered()) {
      try {
        merges.taskStarted(merge);
        boolean holdsTurn = takesTurn || settings.isMajor();
        new StepLoop(job, claim, space, holdsTurn, compactionType).run();
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
        endSteps();
      }
    }
    return inputs;
  }

  private void endSteps() {
    try {
      claim.releasePinned();
    } finally {
      job.state().space().releaseIfEnded(merge);
      claim.unregister();
      // Runs before the claim is closed. A major compaction that waits for the claim then takes
      // over the rest; any other plan finds the inputs claimed for one instant longer.
      merge.setRunning(false);
    }
  }

  /** Ends a task whose steps have not begun, closes its claim and gives up its merge. */
  void abandon() {
    merge.giveUp();
    merge.setRunning(false);
    claim.close();
    merges.taskEnded(merge);
  }
}
