// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.TransientSpaceLedger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * The ongoing merges of one strategy instance.
 *
 * <p>A merge enters when its first task runs. It stays between its steps, so that no other plan
 * takes its inputs and outputs. It leaves when it has finished, is given up, or its strategy ends.
 * Thread-safe.
 */
public final class OngoingMerges {

  /**
   * Strategy instance that runs these merges. Its methods are called without the lock of {@link
   * OngoingMerges}.
   */
  public interface Owner {

    /**
     * Reports that a merge entered, ended a step or left, or that the merges that may begin have
     * changed.
     */
    void changed();

    /**
     * Reports that new work may be possible: a task has succeeded, or merges without inputs were
     * given up. Not called for a task that failed or was stopped: its cause probably persists, and
     * planning the merge again at once would loop. Cassandra asks again by itself after a flush, or
     * every minute.
     */
    void mayContinue();

    /** Reports that a merge cannot continue until another task closes its claim on an SSTable. */
    void waits();

    /** Returns how many tasks have failed of the input with the most failures. */
    int failures(Collection<SSTableReader> inputs);

    /**
     * Reports a task that failed, other than by being stopped.
     *
     * @param level the output level of the merge
     * @param earlier number of failures of the merge's first inputs before it began
     * @param why the failure that the task throws
     */
    void failed(Collection<SSTableReader> inputs, int level, int earlier, Throwable why);
  }

  private final Owner owner;
  private final TransientSpaceLedger space;

  @GuardedBy("this")
  private final List<SteppedMerge> merges = new ArrayList<>();

  @GuardedBy("this")
  private boolean ended;

  public OngoingMerges(TransientSpaceLedger space, Owner owner) {
    this.space = space;
    this.owner = owner;
  }

  public Owner owner() {
    return owner;
  }

  /** Reports that the merges that may begin or continue have changed. */
  void changed() {
    owner.changed();
    owner.mayContinue();
  }

  /** Records that a task of the merge runs. */
  void taskStarted(SteppedMerge merge) {
    merge.setRunning(true);
    if (merge.steps() == 0) {
      merge.failedBefore(owner.failures(merge.inputs()));
    }
    synchronized (this) {
      if (!ended && !merges.contains(merge)) {
        merges.add(merge);
      }
    }
    owner.changed();
  }

  /**
   * Records that a task of the merge has closed its claim. The next task may be running already.
   */
  void taskEnded(SteppedMerge merge) {
    if (ended()) {
      merge.giveUp();
      if (!merge.running()) {
        space.release(merge);
      }
    }
    synchronized (this) {
      if (merge.finished() || merge.givenUp()) {
        merges.remove(merge);
      }
    }
    merge
        .takeFailure()
        .ifPresent(
            why ->
                owner.failed(merge.inputs(), merge.spec().level(), merge.earlierFailures(), why));
    owner.changed();
    if (merge.finished() || !merge.givenUp()) {
      owner.mayContinue();
    }
  }

  /** Returns all ongoing merges, longest ongoing first. */
  public synchronized List<SteppedMerge> all() {
    merges.removeIf(merge -> merge.givenUp() && !merge.running());
    return List.copyOf(merges);
  }

  /**
   * Returns the merges between two steps: first those that were passed over often enough to be due,
   * then by ascending output level.
   */
  public List<SteppedMerge> betweenSteps() {
    List<SteppedMerge> waiting = new ArrayList<>(all());
    waiting.removeIf(SteppedMerge::running);
    waiting.sort(
        Comparator.comparing((SteppedMerge merge) -> !merge.due())
            .thenComparingInt(merge -> merge.spec().level()));
    return waiting;
  }

  /**
   * Counts, for each merge between two steps except {@code first}, that another plan went first.
   *
   * @param first the merge that does its next step; null if a new plan goes first
   */
  public void passOver(SteppedMerge first) {
    betweenSteps().stream().filter(merge -> merge != first).forEach(SteppedMerge::passOver);
  }

  /**
   * Gives up those of the merges that are between two steps, and ignores running ones.
   *
   * @param waiting merges that lost all inputs to other plans or by deletion, or whose strategy
   *     ends
   */
  public void giveUp(List<SteppedMerge> waiting) {
    for (SteppedMerge merge : waiting) {
      if (!merge.running()) {
        merge.giveUp();
        space.release(merge);
      }
    }
    synchronized (this) {
      merges.removeIf(merge -> merge.givenUp() && !merge.running());
    }
    owner.changed();
  }

  /**
   * Gives up merges between two steps whose inputs are all gone, because other plans have taken
   * them. Their next step may never be requested, and until then they would keep their outputs and
   * space.
   *
   * @param has whether the strategy has an SSTable
   */
  public void giveUpGone(Predicate<SSTableReader> has) {
    List<SteppedMerge> gone = betweenSteps();
    gone.removeIf(merge -> merge.hasAny(has));
    if (!gone.isEmpty()) {
      giveUp(gone);
      owner.mayContinue();
    }
  }

  /**
   * Gives up all merges, including one whose task has closed its claim and is about to report that.
   * The caller makes sure that no SSTable of the strategy is claimed.
   */
  public void giveUpAll() {
    for (SteppedMerge merge : all()) {
      merge.giveUp();
      space.release(merge);
    }
    synchronized (this) {
      merges.removeIf(SteppedMerge::givenUp);
    }
    owner.changed();
  }

  /**
   * Ends the strategy: gives up merges between steps, and makes running ones end after their step.
   * Does not wait for them.
   */
  public void end() {
    synchronized (this) {
      ended = true;
    }
    giveUp(all());
  }

  synchronized boolean ended() {
    return ended;
  }
}
