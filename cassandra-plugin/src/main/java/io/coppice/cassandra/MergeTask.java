// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.compaction.writers.CompactionAwareWriter;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.io.util.FileUtils;
import org.apache.cassandra.utils.FBUtilities;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries a merge on: by one step in the background, so that something more urgent may have the
 * next turn, or to its end where an operator waits for it. A step works like this:
 *
 * <ol>
 *   <li>The outputs that cursors rely on are claimed, so that nobody compacts them as long as the
 *       step may hide what they stand for; a cursor for which that fails is forgotten.
 *   <li>The cut is chosen: near the wanted size, within the space that there is.
 *   <li>The inputs that end there are split off the claim into a transaction of their own, see
 *       {@link StepMerge}. Its commit deletes them.
 *   <li>Straddlers get the cut as their cursor.
 * </ol>
 */
final class MergeTask extends AbstractCompactionTask {

  private static final Logger LOGGER = LoggerFactory.getLogger(MergeTask.class);

  /**
   * How a merge is carried on.
   *
   * @param whole true to its end, false by one step
   * @param writes false if it only drops what has expired, so that it needs no room on the disks
   * @param gcBefore tombstones older than this, in seconds of the epoch, may go
   * @param transientLimit by how many bytes all merges of the table may fill the disk; {@link
   *     Long#MAX_VALUE} means no limit
   */
  record Manner(
      boolean whole, boolean writes, long gcBefore, PurgeRule rule, LongSupplier transientLimit) {}

  private final Chain chain;
  private final Chains chains;
  private final Manner manner;
  private final TableFigures figures;

  // Outputs that are claimed so that the cursors stay true.
  private final Map<SSTableReader, LifecycleTransaction> witnesses = new HashMap<>();

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
  }

  @Override
  public CompactionAwareWriter getCompactionAwareWriter(
      ColumnFamilyStore table,
      Directories directories,
      LifecycleTransaction inputs,
      Set<SSTableReader> nonExpired) {
    throw new UnsupportedOperationException("each step has a writer of its own");
  }

  @Override
  public int execute(ActiveCompactionsTracker active) {
    try {
      return super.execute(active);
    } finally {
      // Not before the claim is closed: a chain that rests has no claimed inputs.
      chains.pauses(chain);
    }
  }

  @Override
  protected int executeInternal(ActiveCompactionsTracker active) {
    int inputs = transaction.originals().size();
    if (inputs > 0) {
      ActiveCompactionsTracker tracker = active == null ? ActiveCompactionsTracker.NOOP : active;
      ChainProgress progress = new ChainProgress(cfs.metadata(), compactionType, chain.id());
      progress.claimed(transaction.originals());
      tracker.beginCompaction(progress);
      chains.starts(chain);
      try {
        carryOn(progress);
      } catch (IOException e) {
        chain.giveUp();
        throw new UncheckedIOException(e);
      } catch (RuntimeException | Error e) {
        chain.giveUp();
        throw e;
      } finally {
        progress.end();
        tracker.finishCompaction(progress);
        releaseWitnesses();
        figures.space().restOrRelease(chain);
      }
    }
    return inputs;
  }

  @Override
  protected void runMayThrow() {
    executeInternal(ActiveCompactionsTracker.NOOP);
  }

  private void carryOn(ChainProgress progress) throws IOException {
    if (chain.steps() == 0 && DatabaseDescriptor.isSnapshotBeforeCompaction()) {
      var now = FBUtilities.now();
      cfs.snapshotWithoutMemtable(now.toEpochMilli() + "-compact-" + cfs.name, now);
    }
    boolean inTurn = manner.whole && manner.transientLimit.getAsLong() != Long.MAX_VALUE;
    if (inTurn) {
      figures.space().awaitTurn(progress::isStopRequested);
    }
    try {
      // A pause that came before the progress was registered has not seen it. A later one stops
      // what it wants stopped, and lets a merge of other SSTables go on.
      if (!cfs.getCompactionStrategyManager().isActive()) {
        throw new CompactionInterruptedException(progress.getCompactionInfo());
      }
      do {
        step(progress);
      } while (manner.whole && !chain.finished() && !chains.ended() && cfs.isValid());
    } finally {
      if (inTurn) {
        figures.space().leaveTurn();
      }
    }
    if (chain.finished()) {
      figures.mergeEnded();
    }
  }

  private void step(ChainProgress progress) throws IOException {
    if (progress.isStopRequested()) {
      throw new CompactionInterruptedException(progress.getCompactionInfo());
    }
    claimWitnesses();
    showClaims(progress);
    if (!witnesses.isEmpty() && !cfs.getCompactionStrategyManager().isActive()) {
      // Who paused compactions may want one that was not shown yet.
      releaseWitnesses();
      transaction.originals().forEach(chain::forget);
      showClaims(progress);
    }
    List<MergeInput> inputs = new ArrayList<>();
    for (SSTableReader input : transaction.originals()) {
      inputs.add(new MergeInput(input, chain.cursor(input)));
    }
    CutChoice<DecoratedKey> choice = new CutChoice<>(inputs);
    CutChoice.Cut<DecoratedKey> cut = cut(choice, progress);
    long deadBytes = choice.deadBytes();
    try {
      merge(inputs, cut, progress);
      deadBytes = cut.deadBytes();
    } finally {
      figures.space().rest(chain, deadBytes);
    }
    if (!chain.finished() && manner.transientLimit.getAsLong() != Long.MAX_VALUE) {
      // Files go a moment after the commit; the next step counts on their space.
      LifecycleTransaction.waitForDeletions();
    }
  }

  /** Whoever wants an SSTable that is claimed here must find out whom to stop. */
  private void showClaims(ChainProgress progress) {
    Set<SSTableReader> claimed = new HashSet<>(transaction.originals());
    claimed.addAll(witnesses.keySet());
    progress.claimed(claimed);
  }

  private void merge(
      List<MergeInput> inputs, CutChoice.Cut<DecoratedKey> cut, ChainProgress progress)
      throws IOException {
    Set<SSTableReader> consumed = new HashSet<>();
    Set<SSTableReader> straddlers = new HashSet<>();
    Set<SSTableReader> later = new HashSet<>();
    List<MergeInput> read = new ArrayList<>();
    long restBytes = 0;
    for (MergeInput input : inputs) {
      restBytes += input.restLength();
      if (cut.at().compareTo(input.first()) < 0) {
        later.add(input.sstable());
        continue;
      }
      boolean ends = input.last().compareTo(cut.at()) <= 0;
      (ends ? consumed : straddlers).add(input.sstable());
      read.add(input);
    }
    try (LifecycleTransaction claim = transaction.split(consumed)) {
      StepMerge.Step step =
          new StepMerge.Step(claim, read, straddlers, later, cut.at(), cut.stepBytes(), restBytes);
      StepMerge.Result result =
          new StepMerge(cfs, chain, manner.rule, compactionType, manner.gcBefore)
              .run(step, progress);
      // Between the commit and this somebody may take an output; then the next step forgets the
      // cursors that rely on it.
      chain.stepped(cut.at(), consumed, straddlers, result.outputs(), result.readBytes());
      figures.merged(SSTableReader.getTotalBytes(result.outputs()));
    }
  }

  // --- cursors ---

  private void claimWitnesses() {
    Map<SSTableReader, SSTableReader> live = new HashMap<>();
    cfs.getLiveSSTables().forEach(sstable -> live.put(sstable, sstable));
    Set<SSTableReader> wanted = new HashSet<>();
    for (SSTableReader input : transaction.originals()) {
      List<SSTableReader> needed = chain.witnesses(input);
      if (needed.stream().allMatch(witness -> claimed(witness, live))) {
        wanted.addAll(needed);
      } else {
        chain.forget(input);
      }
    }
    for (SSTableReader held : Set.copyOf(witnesses.keySet())) {
      if (!wanted.contains(held)) {
        witnesses.remove(held).close();
      }
    }
  }

  private boolean claimed(SSTableReader witness, Map<SSTableReader, SSTableReader> live) {
    if (witnesses.containsKey(witness)) {
      return true;
    }
    SSTableReader reader = live.get(witness);
    if (reader == null) {
      return false;
    }
    LifecycleTransaction claim =
        cfs.getTracker().tryModify(List.of(reader), OperationType.COMPACTION);
    if (claim == null) {
      return false;
    }
    witnesses.put(witness, claim);
    return true;
  }

  private void releaseWitnesses() {
    witnesses.values().forEach(LifecycleTransaction::close);
    witnesses.clear();
  }

  // --- space ---

  /** Chooses the cut and holds the space that it needs. */
  private CutChoice.Cut<DecoratedKey> cut(CutChoice<DecoratedKey> choice, ChainProgress progress) {
    long limit = manner.transientLimit.getAsLong();
    while (true) {
      long free = figures.space().free(chain, limit);
      long wanted = chain.order().stepBytes();
      if (choice.least().peakBytes() <= free) {
        CutChoice.Cut<DecoratedKey> cut =
            choice
                .choose(wanted, free, this::fits)
                .orElseThrow(() -> noSpace(choice.least(), "the disks have no room for that"));
        if (figures.space().hold(chain, cut.peakBytes(), limit)) {
          return cut;
        }
      } else if (!manner.whole
          || !figures.space().claimFromOthers(chain, progress::isStopRequested)) {
        throw noSpace(choice.least(), "max_transient_space leaves " + size(free));
      }
    }
  }

  private boolean fits(long bytes) {
    if (!manner.writes || !cfs.isCompactionDiskSpaceCheckEnabled()) {
      return true;
    }
    List<File> directories = cfs.getDirectoriesForFiles(transaction.originals());
    Map<File, Long> wanted = new HashMap<>();
    directories.forEach(
        directory -> wanted.put(directory, bytes / Math.max(1, directories.size())));
    return cfs.getDirectories()
        .hasDiskSpaceForCompactionsAndStreams(
            wanted, CompactionManager.instance.active.estimatedRemainingWriteToDiskBytes());
  }

  private RuntimeException noSpace(CutChoice.Cut<DecoratedKey> least, String why) {
    CompactionManager.instance.incrementAborted();
    String sentence =
        "the smallest step of merge "
            + chain.id()
            + " of "
            + cfs.getKeyspaceName()
            + "."
            + cfs.name
            + " would fill the disk by "
            + size(least.peakBytes())
            + ", but "
            + why
            + "; its widest inputs go only once all their keys are merged";
    LOGGER.warn(sentence);
    figures.decided("put off: " + sentence);
    // To Cassandra an interruption is no fault: in the background it tries again by itself, and who
    // waits for the merge is told.
    return new CompactionInterruptedException("not enough space, " + sentence);
  }

  private static String size(long bytes) {
    return FileUtils.stringifyFileSize(bytes);
  }
}
