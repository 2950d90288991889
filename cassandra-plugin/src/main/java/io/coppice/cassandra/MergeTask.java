// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

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
 * Carries a merge on: by one step in the background, so that something more urgent may have the
 * next turn, or to its end where an operator waits for it. A step works like this:
 *
 * <ol>
 *   <li>The outputs that cursors rely on are claimed, see {@link Witnesses}.
 *   <li>The step is chosen: near the wanted size, within the space that there is.
 *   <li>The inputs that end at its cut are split off the claim into a transaction of their own, see
 *       {@link StepMerge}. Its commit deletes them.
 *   <li>Straddlers get the cut as their cursor.
 * </ol>
 *
 * <p>A merge with more runs than space or memory allow goes by rounds, see {@link Rounds}. In the
 * background it lets go of the inputs of later rounds, and the policy plans them again.
 */
final class MergeTask extends AbstractCompactionTask {

  private static final Logger LOGGER = LoggerFactory.getLogger(MergeTask.class);

  // For what something else has claimed between two claims of a merge.
  private static final int CLAIM_ATTEMPTS = 100;
  private static final long CLAIM_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  // As long as Cassandra waits for what it stops.
  private static final int PAUSE_ATTEMPTS = 600;

  /** How far a task carries a merge on. */
  enum Reach {
    /** One step. */
    STEP,
    /** To its end; whoever made the task may close its claim as soon as it has returned. */
    END,
    /** To its end, as a part of a major compaction, which leaves the claim to the task. */
    MAJOR
  }

  /** By how many bytes all merges of a table may fill the disk. */
  interface Limit {

    /** No limit. */
    Limit NONE = widestBytes -> Long.MAX_VALUE;

    /**
     * Returns the limit for a merge, {@link Long#MAX_VALUE} for none.
     *
     * @param widestBytes the size of its largest SSTable
     */
    long bytes(long widestBytes);

    /** Returns whether the limit is a number of bytes, whatever the table holds. */
    default boolean isFixed() {
      return false;
    }
  }

  /**
   * How a merge is carried on.
   *
   * @param reach how far
   * @param writes false if it only drops what has expired, so that it needs no room on the disks
   * @param gcBefore tombstones older than this, in seconds of the epoch, may go
   * @param transientLimit by how much all merges of the table may fill the disk
   */
  record Manner(Reach reach, boolean writes, long gcBefore, PurgeRule rule, Limit transientLimit) {

    boolean whole() {
      return reach != Reach.STEP;
    }
  }

  private final Chain chain;
  private final Chains chains;
  private final Manner manner;
  private final TableFigures figures;
  private final Witnesses witnesses;
  private final StepSpace space;

  // Of all inputs; null where there are none.
  private final RepairState state;

  // Set by the thread that Cassandra runs the task on.
  private ActiveCompactionsTracker tracker = ActiveCompactionsTracker.NOOP;
  private ChainProgress progress;
  private boolean shown;
  private boolean inTurn;

  // Reported once all other inputs are merged; null if it leaves out none.
  private StepSpace.LackException leftOut;

  // What a part of a major compaction has come to; neither if it was stopped before its turn.
  private volatile boolean merged;
  private volatile Throwable failure;

  /**
   * Takes a transaction.
   *
   * @param transaction over all inputs that the chain has left; the task closes it
   */
  MergeTask(
      ColumnFamilyStore cfs,
      LifecycleTransaction transaction,
      Chain chain,
      Chains chains,
      Manner manner,
      TableFigures figures) {
    super(cfs, transaction);
    this.chain = chain;
    this.chains = chains;
    this.manner = manner;
    this.figures = figures;
    this.witnesses = new Witnesses(cfs, chain);
    this.space = new StepSpace(cfs, chain, manner, figures);
    this.state = transaction.originals().stream().findAny().map(RepairState::of).orElse(null);
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
   * Runs it. The parts of a major compaction go one after the other, so that the disk is filled,
   * and readers are disturbed, by one at a time: the first that gets a thread carries out all of
   * them, the others return at once; so it has ended when all of them have returned, and the first
   * throws unless all are merged. Where space is bound any other merge that goes on to its end
   * waits for its turn, as its claim may be closed by others once this has returned.
   */
  @Override
  public int execute(ActiveCompactionsTracker active) {
    ActiveCompactionsTracker shownBy = active == null ? ActiveCompactionsTracker.NOOP : active;
    if (manner.reach == Reach.MAJOR) {
      // Another thread may have it already: within its last step its claim is empty.
      return executeParts(shownBy);
    }
    if (transaction.originals().isEmpty()) {
      return executeForCassandra();
    }
    tracker = shownBy;
    try {
      show();
      inTurn = manner.whole() && space.shortFromTheStart(transaction.originals());
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
    if (!inTurn) {
      return executeForCassandra();
    }
    Turns<MergeTask> turns = turns();
    // A pause that came before it was shown has not seen it; a later one stops it if need be.
    if (isPaused() || !turns.take(false, progress::isStopRequested)) {
      CompactionInterruptedException stopped = interrupted();
      end();
      throw stopped;
    }
    try {
      return executeForCassandra();
    } finally {
      turns.next();
    }
  }

  /**
   * Carries out all parts of major compactions of the table whose tasks Cassandra has queued. They
   * hold claims, so all are shown before the first one begins: whoever wants an SSTable need not
   * wait for threads.
   */
  private int executeParts(ActiveCompactionsTracker active) {
    Turns<MergeTask> turns = turns();
    List<MergeTask> parts = turns.come(this);
    if (parts.isEmpty()) {
      return 0;
    }
    int inputs = 0;
    Throwable failures = null;
    try {
      parts.forEach(part -> part.begin(active));
      // A pause that came before they were shown has seen none of them.
      while (isPaused()) {
        parts.forEach(MergeTask::letGoForAPause);
        awaitTheEndOfThePause();
        parts.forEach(MergeTask::comeBack);
      }
      // Others may carry these out meanwhile, or stop them.
      if (turns.take(true, () -> turns.over(parts))) {
        for (Optional<MergeTask> part = turns.next(); part.isPresent(); part = turns.next()) {
          inputs += part.get().carryOut();
        }
      }
    } catch (RuntimeException | Error e) {
      failures = e;
    }
    boolean lacks = false;
    for (MergeTask part : parts) {
      Throwable outcome = part.outcome();
      boolean lack = outcome instanceof StepSpace.LackException;
      // What one part lacks is said once.
      if (outcome != failures && !(lack && lacks)) {
        failures = Throwables.merge(failures, lack ? told(outcome) : outcome);
      }
      lacks |= lack;
    }
    Throwables.maybeFail(failures);
    return inputs;
  }

  /** Carries a part out, perhaps one of another major compaction: what it throws is told there. */
  private int carryOut() {
    try {
      int inputs = executeAlone();
      merged = true;
      return inputs;
    } catch (Throwable e) {
      failure = e;
      return 0;
    }
  }

  /** Why a part whose turn is over has not been merged; null if it has. */
  private Throwable outcome() {
    // It still waits if this thread was interrupted, or failed.
    Throwable outcome = Throwables.perform(failure, this::withdraw);
    return merged || outcome != null ? outcome : interrupted();
  }

  /** A part waits for its turn from now on, and can be stopped until then. */
  private void begin(ActiveCompactionsTracker active) {
    tracker = active;
    inTurn = true;
    leaveAfter(
        () -> {
          chains.starts(chain);
          show();
        });
  }

  private void letGoForAPause() {
    // Unless it has been stopped, or its turn has come.
    if (turns().withdraw(this)) {
      leaveAfter(this::closeClaim);
    }
  }

  /** Claims anew what a part has let go, so that it can be stopped; or does so in its turn. */
  private void comeBack() {
    if (turns().withdraw(this)) {
      leaveAfter(
          () -> {
            if (!chain.givenUp()) {
              new Reclaim(cfs, chain, state).attempt().ifPresent(this::showAgain);
            }
          });
    }
  }

  private void showAgain(LifecycleTransaction claim) {
    transaction = claim;
    show();
  }

  /** Leaves a part to who has the turn, or ends it if it cannot be made ready for that. */
  private void leaveAfter(Runnable ready) {
    try {
      ready.run();
      turns().leave(this);
      // A stop that came before has not found it there.
      if (progress.isStopRequested()) {
        withdraw();
      }
    } catch (RuntimeException | Error e) {
      failure = Throwables.perform(e, this::end);
    }
  }

  /** Ends it if its turn has not come. */
  private void withdraw() {
    if (turns().withdraw(this)) {
      end();
    }
  }

  private Turns<MergeTask> turns() {
    return figures.space().turns();
  }

  /** Returns the bytes on disk of all that is claimed. */
  long inputBytes() {
    return SSTableReader.getTotalBytes(transaction.originals());
  }

  /** Cassandra will run it as a part of a major compaction, together with the others. */
  void announce() {
    turns().announce(this);
  }

  private void end() {
    chain.giveUp();
    chain.run(false);
    unshow();
    transaction.close();
    chains.pauses(chain);
  }

  private void show() {
    progress = new ChainProgress(cfs.metadata, compactionType, chain.id());
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
      chains.pauses(chain);
    }
  }

  private int executeForCassandra() {
    try {
      return executeAlone();
    } catch (StepSpace.LackException e) {
      throw told(e);
    }
  }

  private static CompactionInterruptedException told(Throwable lack) {
    return ((StepSpace.LackException) lack).told();
  }

  @Override
  protected int executeInternal(ActiveCompactionsTracker active) {
    int inputs = transaction.originals().size();
    // A part that has come back from a pause may find nothing left.
    if (inputs > 0 || shown) {
      try {
        chains.starts(chain);
        carryOn();
      } catch (IOException e) {
        chain.fail(e);
        throw new UncheckedIOException(e);
      } catch (StepSpace.LackException e) {
        if (e.passes()) {
          chain.giveUp();
        } else {
          chain.fail(e);
        }
        throw e;
      } catch (CompactionInterruptedException e) {
        chain.giveUp();
        throw e;
      } catch (RuntimeException | Error e) {
        chain.fail(e);
        throw e;
      } finally {
        letGo();
      }
    }
    return inputs;
  }

  private void letGo() {
    try {
      witnesses.release();
    } finally {
      figures.space().restOrRelease(chain);
      unshow();
      // Before the claim is closed: who waits for that, as a major compaction does, takes the rest
      // up; anybody else finds the inputs claimed for one instant more.
      chain.run(false);
    }
  }

  @Override
  protected void runMayThrow() {
    executeInternal(ActiveCompactionsTracker.NOOP);
  }

  private void carryOn() throws IOException {
    if (chain.steps() == 0 && DatabaseDescriptor.isSnapshotBeforeCompaction()) {
      var now = FBUtilities.now();
      cfs.snapshotWithoutMemtable(now.toEpochMilli() + "-compact-" + cfs.name, now);
    }
    // A pause that came before the progress was registered has not seen it. A later one stops
    // what it wants stopped, and lets a merge of other SSTables go on.
    giveWayToAPause();
    if (chain.finished()) {
      return;
    }
    if (manner.reach == Reach.MAJOR && ended()) {
      // While it waited for its turn; what it was planned by counts no more.
      throw interrupted();
    }
    boolean more = true;
    while (more) {
      step();
      more = manner.whole() && !chain.finished() && !ended();
    }
    if (chain.finished()) {
      figures.mergeEnded();
      if (leftOut != null) {
        throw leftOut;
      }
    } else if (manner.whole() && cfs.isValid()) {
      // Options have changed, or the ring. Who waits for it must not take it for done.
      throw interrupted();
    }
  }

  private boolean isPaused() {
    return !cfs.getCompactionStrategyManager().isActive();
  }

  private boolean ended() {
    return chains.ended() || !cfs.isValid();
  }

  /**
   * While compactions are paused, nobody says for which SSTables. A part of a major compaction then
   * lets go of all it has, as if it had been stopped, and afterwards goes on with what is left of
   * it; anything else is stopped, and planned again.
   */
  private void giveWayToAPause() {
    while (!shown || isPaused()) {
      if (manner.reach != Reach.MAJOR) {
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
    witnesses.release();
    // What is shown is waited for.
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
    claimWitnesses();
    if (chain.finished()) {
      return;
    }
    List<MergeInput> all = new ArrayList<>();
    for (SSTableReader input : transaction.originals()) {
      if (chain.takes(input)) {
        all.add(new MergeInput(input, chain.cursor(input)));
      }
    }
    List<MergeInput> inputs = withoutTooLarge(all);
    StepSpace.Held held =
        space.hold(inputs, transaction.originals(), inTurn, progress::isStopRequested);
    long deadBytes = held.choice().deadBytes();
    try {
      leaveToLaterRounds(inputs, held.inputs());
      new StepWork(cfs, chain, manner, compactionType, figures)
          .carryOut(held.step(), held.outputBytes(), held.inputs(), transaction, progress);
      deadBytes = held.step().deadBytes();
    } finally {
      figures.space().rest(chain, deadBytes);
    }
    awaitDeletions();
    boolean trimmed = held.step() instanceof CutChoice.Trim && manner.whole();
    if (chain.beginsNextRound() || trimmed && !chain.finished()) {
      claimAnew();
    }
  }

  /** Leaves out SSTables that exceed the space by themselves, so that the others are rewritten. */
  private List<MergeInput> withoutTooLarge(List<MergeInput> inputs) {
    if (!manner.whole() || !manner.writes() || inputs.size() == 1) {
      return inputs;
    }
    List<MergeInput> tooLarge = space.tooLarge(inputs, transaction.originals());
    if (tooLarge.isEmpty() || tooLarge.size() == inputs.size()) {
      return inputs;
    }
    leftOut = space.leavesOut(tooLarge);
    for (MergeInput input : tooLarge) {
      chain.leave(input.sstable());
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
        "{}.{}: merge {} takes {} of {} SSTables first, as not all runs fit {}",
        cfs.getKeyspaceName(),
        cfs.name,
        chain.id(),
        taken.size(),
        inputs.size(),
        space.isShort() ? "the space" : "in memory");
    if (manner.whole()) {
      chain.putAside(others);
      return;
    }
    others.forEach(chain::leave);
    others.forEach(transaction::cancel);
    showClaims();
  }

  /**
   * Files go a moment after the commit. Where space is short the next step, which may be one of
   * another part of a major compaction, begins without them.
   */
  private void awaitDeletions() {
    try {
      if (space.isShort()) {
        if (manner.whole() || !chain.finished()) {
          LifecycleTransaction.waitForDeletions();
        }
      } else if (manner.reach == Reach.MAJOR) {
        figures.space().awaitEarlierDeletions();
      }
    } catch (CancellationException | UncheckedInterruptedException e) {
      // The node ends. What is merged is merged.
      if (e instanceof UncheckedInterruptedException) {
        Thread.currentThread().interrupt();
      }
      if (!chain.finished()) {
        throw interrupted();
      }
    }
  }

  /**
   * Claims what the cursors need. Within a pause, who paused compactions may want one of these, as
   * it was not shown before: a part of a major compaction then lets go until afterwards, when it
   * may find nothing left to do; anything else forgets its cursors, which writes again what they
   * stand for.
   */
  private void claimWitnesses() {
    takeWitnesses();
    while (!witnesses.claimed().isEmpty() && isPaused()) {
      if (manner.reach == Reach.MAJOR) {
        giveWayToAPause();
        takeWitnesses();
      } else {
        witnesses.release();
        transaction.originals().forEach(chain::forget);
        showClaims();
      }
    }
  }

  /**
   * Waits for what something else has, as that is mostly over in an instant. In the background no
   * task is made until then, see {@link Claims#nextStep}.
   */
  private void takeWitnesses() {
    int attempts = manner.whole() ? CLAIM_ATTEMPTS : 0;
    for (int attempt = 0;
        attempt < attempts && !isPaused() && !witnesses.attempt(transaction.originals());
        attempt++) {
      showClaims();
      stopIfAsked();
      LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
    }
    witnesses.claim(transaction.originals());
    showClaims();
  }

  /** Whoever wants an SSTable that is claimed here must find out whom to stop. */
  private void showClaims() {
    Set<SSTableReader> claimed = new HashSet<>(transaction.originals());
    claimed.addAll(witnesses.claimed());
    progress.claimed(claimed);
  }

  /** Claims all that is left of the merge, which has new inputs. */
  private void claimAnew() {
    // They may be inputs now.
    witnesses.release();
    transaction.close();
    transaction = reclaimed();
    showClaims();
    // Who paused compactions meanwhile may want one that was not shown.
    giveWayToAPause();
  }

  /** A claim over all that is left of the merge. */
  private LifecycleTransaction reclaimed() {
    Reclaim reclaim = new Reclaim(cfs, chain, state);
    for (int attempt = 0; attempt < CLAIM_ATTEMPTS && !chain.givenUp(); attempt++) {
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
