// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the next step of a merge within {@code max_transient_space} and the room on the disks, and
 * holds its space. Used by one task.
 */
final class StepSpace {

  private static final Logger LOGGER = LoggerFactory.getLogger(StepSpace.class);

  private static final int MERGES_AT_ONCE = 8;

  // Fewer would be smaller steps than the inputs of some runs that end together.
  private static final int LEAST_TABLES_WANTED = 4;

  // The share of what is live by which a major compaction had better fill the disk: a 160th.
  private static final int LIVE_TO_WANTED = 160;

  /**
   * Not even the smallest step fits. To Cassandra an interruption is no fault: in the background it
   * tries again by itself, and who waits for the merge is told.
   */
  static final class LackException extends CompactionInterruptedException {

    private static final long serialVersionUID = 1;

    private final boolean passing;

    LackException(String sentence, boolean passing) {
      super("not enough space, " + sentence);
      this.passing = passing;
    }

    /** True if other merges hold what it lacks, so that it may go on once they have ended. */
    boolean passes() {
      return passing;
    }
  }

  private final ColumnFamilyStore cfs;
  private final Chain chain;
  private final MergeTask.Manner manner;
  private final TableFigures figures;
  private boolean isShort;
  private boolean undivided;

  StepSpace(ColumnFamilyStore cfs, Chain chain, MergeTask.Manner manner, TableFigures figures) {
    this.cfs = cfs;
    this.chain = chain;
    this.manner = manner;
    this.figures = figures;
  }

  /**
   * Chooses the step and holds the space that it needs.
   *
   * @param inputs what is left of the merge
   * @param inTurn true if no other merge goes on to its end, so that this one may make others leave
   *     space
   * @throws LackException if no step fits, also after others have been asked for space
   * @throws CompactionInterruptedException if it was stopped while it waited for others
   */
  CutChoice.Step<DecoratedKey> hold(
      CutChoice<DecoratedKey> choice,
      Set<SSTableReader> inputs,
      boolean inTurn,
      BooleanSupplier stopped) {
    SpaceLedger ledger = figures.space();
    // What is merged and still there would count twice: such shards of counters are added up.
    undivided =
        inputs.stream().anyMatch(input -> input.getSSTableMetadata().hasLegacyCounterShards);
    boolean waited = false;
    while (true) {
      if (stopped.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        throw new CompactionInterruptedException("merge " + chain.id() + " was stopped");
      }
      // A share of live bytes falls with what the merge purges; it keeps what it began with.
      long limit = chain.atLeast(figures.tunables().current(), manner.transientLimit().getAsLong());
      long allowed = ledger.free(chain, limit);
      long room = room(inputs);
      long onDisk =
          room > Long.MAX_VALUE - choice.deadBytes() ? Long.MAX_VALUE : choice.deadBytes() + room;
      long free = Math.min(allowed, onDisk);
      isShort = limit < Long.MAX_VALUE || free < choice.deadBytes() + choice.restBytes();
      if (isShort && limit == Long.MAX_VALUE && !waited && spares(chain.order())) {
        // The disk may have room enough once the files of the step before are gone.
        LifecycleTransaction.waitForDeletions();
        waited = true;
        continue;
      }
      Optional<CutChoice.Step<DecoratedKey>> step = next(choice, free);
      if (step.isPresent()) {
        long held = StepLimit.held(step.get().peakBytes(), free);
        long dead = Math.max(choice.deadBytes(), step.get().deadBytes());
        if (ledger.hold(chain, held, dead, limit)) {
          return step.get();
        }
      } else if (free < allowed && !waited) {
        // Files go a moment after the commit, also those of a merge that had its turn before.
        LifecycleTransaction.waitForDeletions();
        waited = true;
      } else if (inTurn && ledger.claimFromOthers(chain, stopped)) {
        waited = false;
      } else {
        boolean byOthers = next(choice, Math.min(limit, onDisk)).isPresent();
        String why =
            byOthers
                ? "other merges hold " + size(limit - allowed) + " of max_transient_space"
                : free < allowed
                    ? "the disks have room for " + size(Math.max(0, StepLimit.of(free))) + " only"
                    : "max_transient_space leaves " + size(allowed);
        throw lack(choice, why, byOthers);
      }
    }
  }

  private Optional<CutChoice.Step<DecoratedKey>> next(
      CutChoice<DecoratedKey> choice, long freeBytes) {
    Chain.Order order = chain.order();
    if (undivided) {
      return choice.whole(order.tableBytes(), StepLimit.of(freeBytes));
    }
    return !isShort && spares(order)
        ? Optional.of(
            choice.sparing(
                order.stepBytes(),
                order.tableBytes(),
                wantedBytes(order),
                chain.filledBytes(),
                chain.kept()))
        : choice.next(order.stepBytes(), order.tableBytes(), StepLimit.of(freeBytes));
  }

  /** Parts of a major compaction are large, and nothing hurries them. */
  private boolean spares(Chain.Order order) {
    return manner.reach() == MergeTask.Reach.MAJOR && order.stepBytes() < Long.MAX_VALUE;
  }

  /**
   * By how much a part of a major compaction had better fill the disk: some tables, and where much
   * is live as many as a step of the usual size writes.
   */
  private long wantedBytes(Chain.Order order) {
    long share = Math.min(order.stepBytes(), figures.liveBytes() / LIVE_TO_WANTED);
    return Math.max(LEAST_TABLES_WANTED * order.tableBytes(), share);
  }

  /**
   * True if space may be too short for several merges at once, so that they had better take turns.
   */
  boolean shortFromTheStart(Set<SSTableReader> inputs) {
    if (manner.transientLimit().getAsLong() < Long.MAX_VALUE) {
      return true;
    }
    long all = 0;
    long largest = 0;
    for (SSTableReader input : inputs) {
      all += input.bytesOnDisk();
      largest = Math.max(largest, input.bytesOnDisk());
    }
    long step = Math.min(all, chain.order().stepBytes());
    return room(inputs) / MERGES_AT_ONCE < Math.min(all, step + MERGES_AT_ONCE * largest);
  }

  /** True if the next step may need what this one frees. */
  boolean isShort() {
    return isShort;
  }

  private long room(Set<SSTableReader> inputs) {
    return manner.writes() ? DiskRoom.bytes(cfs, inputs) : Long.MAX_VALUE;
  }

  private LackException lack(CutChoice<DecoratedKey> choice, String why, boolean byOthers) {
    String sentence =
        "the smallest step of merge "
            + chain.id()
            + " of "
            + cfs.getKeyspaceName()
            + "."
            + cfs.name
            + " would fill the disk by "
            + size(undivided ? choice.wholePeakBytes() : choice.leastPeakBytes())
            + ", its largest input has "
            + size(choice.widestBytes())
            + ", but "
            + why
            + "; an input goes only once all its keys are merged";
    if (byOthers) {
      LOGGER.info(sentence);
    } else {
      CompactionManager.instance.incrementAborted();
      LOGGER.warn(sentence);
    }
    figures.decided("put off: " + sentence);
    return new LackException(sentence, byOthers);
  }

  private static String size(long bytes) {
    return FileUtils.stringifyFileSize(bytes);
  }
}
