// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
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

  /** Not even two runs fit. */
  static final class LackException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean passing;

    LackException(String sentence, boolean passing) {
      super("not enough space: " + sentence);
      this.passing = passing;
    }

    /** Returns whether to try again later is no repetition of a failure. */
    boolean passes() {
      return passing;
    }

    /**
     * Returns what Cassandra is told. To Cassandra an interruption is no fault: in the background
     * it tries again by itself. nodetool, which may have no class of ours and prints every frame,
     * prints the sentence alone.
     */
    CompactionInterruptedException told() {
      var told = new CompactionInterruptedException(getMessage());
      told.setStackTrace(new StackTraceElement[0]);
      return told;
    }
  }

  /**
   * A step that has its space.
   *
   * @param inputs of its round; the others wait for a later one
   * @param choice of these
   * @param outputBytes the size of its outputs
   */
  record Held(
      List<MergeInput> inputs,
      CutChoice<DecoratedKey> choice,
      CutChoice.Step<DecoratedKey> step,
      long outputBytes) {}

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
   * @param inputs what is left of the round
   * @param claimed all that the merge has claimed
   * @param inTurn true if no other merge goes on to its end, so that this one may make others leave
   *     space
   * @throws LackException if no step fits, also after others have been asked for space
   * @throws CompactionInterruptedException if it was stopped while it waited for others
   */
  Held hold(
      List<MergeInput> inputs,
      Set<SSTableReader> claimed,
      boolean inTurn,
      BooleanSupplier stopped) {
    SpaceLedger ledger = figures.space();
    CutChoice<DecoratedKey> all = new CutChoice<>(inputs);
    // What is merged and still there would count twice: such shards of counters are added up.
    undivided = undivided(claimed);
    boolean waited = false;
    while (true) {
      if (stopped.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        throw new CompactionInterruptedException("merge " + chain.id() + " was stopped");
      }
      long limit = limit(inputs);
      long allowed = ledger.free(chain, limit);
      long room = room(claimed);
      long onDisk = room > Long.MAX_VALUE - all.deadBytes() ? room : all.deadBytes() + room;
      long free = Math.min(allowed, onDisk);
      isShort = limit < Long.MAX_VALUE || free < all.deadBytes() + all.restBytes();
      if (isShort && limit == Long.MAX_VALUE && !waited && spares(chain.order())) {
        // The disk may have room enough once the files of the step before are gone.
        LifecycleTransaction.waitForDeletions();
        waited = true;
        continue;
      }
      Optional<List<MergeInput>> round = round(inputs, all, free);
      boolean fewer = round.isEmpty() || round.get().size() < inputs.size();
      if (isShort && fewer && free < allowed && !waited) {
        // Files go a moment after the commit, also those of a merge that had its turn before.
        LifecycleTransaction.waitForDeletions();
        waited = true;
        continue;
      }
      if (isShort && fewer && inTurn && ledger.claimFromOthers(chain, stopped)) {
        waited = false;
        continue;
      }
      if (fewer && awaitsOthers(inputs, all, round, limit, onDisk)) {
        throw lack(inputs, all, limit, allowed, onDisk);
      }
      if (round.isPresent()) {
        CutChoice<DecoratedKey> choice = fewer ? new CutChoice<>(round.get()) : all;
        Optional<CutChoice.Step<DecoratedKey>> step = next(choice, free);
        long dead = step.map(CutChoice.Step::deadBytes).orElse(0L);
        if (step.isPresent()
            && ledger.hold(
                chain,
                StepLimit.held(step.get().peakBytes(), free),
                Math.max(choice.deadBytes(), dead),
                limit)) {
          boolean last = !fewer && !chain.hasLaterRounds();
          return new Held(
              round.get(), choice, step.get(), outputBytes(round.get(), step.get(), free, last));
        }
        if (step.isPresent()) {
          continue;
        }
      }
      throw lack(inputs, all, limit, allowed, onDisk);
    }
  }

  /**
   * Returns the inputs that no step can rewrite, because each exceeds the space by itself. There is
   * none while a round is under way.
   *
   * @param claimed all that the merge has claimed
   */
  List<MergeInput> tooLarge(List<MergeInput> inputs, Set<SSTableReader> claimed) {
    if (inputs.stream().anyMatch(input -> input.doneBytes() > 0)) {
      return List.of();
    }
    long bytes = inputs.stream().mapToLong(MergeInput::bytes).sum();
    if (limit(inputs) == Long.MAX_VALUE && room(claimed) >= bytes) {
      return List.of();
    }
    List<MergeInput> tooLarge = exceeding(inputs, later(limit(inputs), room(claimed)));
    if (!tooLarge.isEmpty()) {
      // The disk may have room once the files of earlier steps are gone.
      LifecycleTransaction.waitForDeletions();
      tooLarge = exceeding(inputs, later(limit(inputs), room(claimed)));
    }
    return tooLarge;
  }

  private List<MergeInput> exceeding(List<MergeInput> inputs, long space) {
    long tableBytes = chain.order().tableBytes();
    return inputs.stream()
        .filter(
            input -> Rounds.take(List.of(input), StepLimit.of(space), tableBytes, true).isEmpty())
        .toList();
  }

  /** A share of live bytes falls with what the merge purges; it keeps what it began with. */
  private long limit(List<MergeInput> inputs) {
    long widest = inputs.stream().mapToLong(MergeInput::bytes).max().orElse(0);
    return chain.atLeast(figures.tunables().current(), manner.transientLimit().bytes(widest));
  }

  /** Logs that a merge rewrites all inputs but those, and returns the failure to report. */
  LackException leavesOut(List<MergeInput> tooLarge) {
    String files =
        tooLarge.stream()
            .map(input -> input.sstable().getFilename() + " (" + size(input.bytes()) + ")")
            .collect(Collectors.joining(", "));
    long limit = limit(tooLarge);
    String sentence =
        merge()
            + " leaves out "
            + files
            + (limit < Long.MAX_VALUE
                ? ", larger than max_transient_space ("
                    + size(limit)
                    + ") allows; raise max_transient_space"
                : ", larger than the disks have room for; free disk space");
    CompactionManager.instance.incrementAborted();
    LOGGER.warn("not enough space: {}", sentence);
    figures.decided("deferred: " + sentence);
    return new LackException(sentence, true);
  }

  private String merge() {
    return "merge " + chain.id() + " of " + cfs.getKeyspaceName() + "." + cfs.name;
  }

  /** Returns whether a merge of the SSTables has to be one step. */
  static boolean undivided(Set<SSTableReader> inputs) {
    return inputs.stream().anyMatch(input -> input.getSSTableMetadata().hasLegacyCounterShards);
  }

  /**
   * Returns whether the round takes more runs once others have ended. In the background the merge
   * then waits, as a round of few runs writes the same data again.
   */
  private boolean awaitsOthers(
      List<MergeInput> inputs,
      CutChoice<DecoratedKey> all,
      Optional<List<MergeInput>> now,
      long limit,
      long onDisk) {
    if (manner.whole()) {
      return false;
    }
    Optional<List<MergeInput>> later = round(inputs, all, later(limit, onDisk));
    return later.map(List::size).orElse(0) > now.map(List::size).orElse(0);
  }

  /** Returns the space at most once other merges have ended. */
  private long later(long limit, long onDisk) {
    long held = figures.space().heldBytes(chain);
    return Math.min(limit, onDisk > Long.MAX_VALUE - held ? Long.MAX_VALUE : onDisk + held);
  }

  /**
   * The inputs of a round that begins; all of them where one goes on, as what it has merged of them
   * counts only there.
   */
  private Optional<List<MergeInput>> round(
      List<MergeInput> inputs, CutChoice<DecoratedKey> all, long freeBytes) {
    if (all.deadBytes() > 0 || !manner.writes()) {
      return Optional.of(inputs);
    }
    long limit = isShort ? StepLimit.of(freeBytes) : Long.MAX_VALUE;
    return Rounds.take(inputs, limit, chain.order().tableBytes(), undivided);
  }

  /** Where outputs as large as usual could never be merged again within the limit, smaller ones. */
  private long outputBytes(
      List<MergeInput> inputs, CutChoice.Step<DecoratedKey> step, long freeBytes, boolean last) {
    long tableBytes = chain.order().tableBytes();
    long limit = StepLimit.of(freeBytes);
    if (!isShort) {
      return tableBytes;
    }
    if (manner.whole() && !last) {
      return StepLimit.halves(limit, tableBytes);
    }
    if (!manner.transientLimit().isFixed() || !(step instanceof CutChoice.Cut<DecoratedKey> cut)) {
      return tableBytes;
    }
    long consumed = inputs.stream().filter(input -> input.last().compareTo(cut.at()) <= 0).count();
    return Math.min(tableBytes, StepLimit.outputs(cut.stepBytes(), consumed, limit, tableBytes));
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
    if (manner.transientLimit().bytes(0) < Long.MAX_VALUE) {
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

  private LackException lack(
      List<MergeInput> inputs,
      CutChoice<DecoratedKey> choice,
      long limit,
      long allowed,
      long onDisk) {
    long usable = later(limit, onDisk);
    long held = figures.space().heldBytes(chain);
    boolean byOthers =
        held > 0
            && round(inputs, choice, usable)
                .flatMap(round -> next(new CutChoice<>(round), usable))
                .isPresent();
    String why =
        byOthers
            ? "other merges hold "
                + size(held)
                + (limit < Long.MAX_VALUE ? " of max_transient_space" : " of the disks")
            : onDisk < allowed
                ? "the disks have room for " + size(Math.max(0, StepLimit.of(onDisk))) + " only"
                : "max_transient_space leaves " + size(allowed);
    long needed =
        choice.deadBytes() > 0
            ? choice.leastBytes(chain.order().tableBytes())
            : Rounds.least(inputs, chain.order().tableBytes(), undivided);
    String sentence =
        merge()
            + " needs "
            + size(needed)
            + ", as its largest SSTable has "
            + size(choice.widestBytes())
            + ", but "
            + why
            + (onDisk < allowed ? "; free disk space" : "; raise max_transient_space");
    if (byOthers) {
      LOGGER.info("not enough space: {}", sentence);
    } else {
      CompactionManager.instance.incrementAborted();
      LOGGER.warn("not enough space: {}", sentence);
    }
    figures.decided("deferred: " + sentence);
    return new LackException(sentence, byOthers);
  }

  private static String size(long bytes) {
    return FileUtils.stringifyFileSize(bytes);
  }
}
