// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.TableState;
import io.coppice.cassandra.state.TransientSpaceLedger;
import io.coppice.policy.step.Rounds;
import io.coppice.policy.step.StepPicker;
import io.coppice.policy.step.UsableFreeSpace;
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
 * A reservation of disk space for the next step of a merge, within {@code max_transient_space} and
 * the free space of the disks.
 *
 * <p>{@link #hold} picks the step, reserves its space in the table's {@link TransientSpaceLedger}
 * and, if space is short, first waits for deleted files and asks other merges for their space. Used
 * by one task.
 */
public final class StepSpaceReservation {

  private static final Logger LOGGER = LoggerFactory.getLogger(StepSpaceReservation.class);

  private static final int MERGES_AT_ONCE = 8;

  // Least soft limit of a major compaction, in tables. With fewer, steps would be smaller than the
  // inputs of a few runs that end together.
  private static final int MIN_TABLES_WANTED = 4;

  // Divisor for the live bytes: a major compaction aims to fill the disk by at most 1/160 of them.
  private static final int LIVE_TO_WANTED = 160;

  /** The failure of a merge that finds too little space for its next step or for some inputs. */
  static final class LackException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String sentence;
    private final boolean passing;
    private final boolean blocked;

    /**
     * Creates the failure of a merge that cannot do any step for lack of space.
     *
     * @param sentence the bytes needed, the bytes free, and advice
     * @param passing whether the lack ends with the merges that hold the space
     */
    LackException(String sentence, boolean passing) {
      this(sentence, passing, true);
    }

    private LackException(String sentence, boolean passing, boolean blocked) {
      super("not enough space: " + sentence);
      this.sentence = sentence;
      this.passing = passing;
      this.blocked = blocked;
    }

    /** Returns the failure of a merge that has rewritten all inputs except some. */
    static LackException leavingOut(String sentence) {
      return new LackException(sentence, true, false);
    }

    /**
     * Returns one failure with the sentences of two. It names every SSTable that is left out. If
     * both block a merge, it has only the first, because their causes are alike.
     *
     * @param first null if there is none yet
     */
    static LackException both(LackException first, LackException second) {
      if (first == null) {
        return second;
      }
      if (first.blocked && second.blocked) {
        return first;
      }
      return new LackException(
          first.sentence + "; " + second.sentence,
          first.passing && second.passing,
          first.blocked || second.blocked);
    }

    /** Returns whether the lack is temporary. A retry then does not count as a repeated failure. */
    boolean passes() {
      return passing;
    }

    /**
     * Returns the exception to throw to Cassandra. It is an interruption, which Cassandra does not
     * report as a fault, and a background task is retried. The stack trace is empty: nodetool may
     * lack the plugin's classes, and without a trace it prints the sentence alone.
     */
    CompactionInterruptedException interruption() {
      var interruption = new CompactionInterruptedException(getMessage());
      interruption.setStackTrace(new StackTraceElement[0]);
      return interruption;
    }
  }

  /**
   * Step whose space is reserved.
   *
   * @param inputs the inputs of its round; the others wait for a later one
   * @param choice the possible steps of these inputs
   * @param step the chosen step
   * @param outputBytes the size of the step's outputs, in bytes on disk
   */
  record Held(
      List<MergeInput> inputs,
      StepPicker<DecoratedKey> choice,
      StepPicker.Step<DecoratedKey> step,
      long outputBytes) {}

  private final ColumnFamilyStore cfs;
  private final SteppedMerge merge;
  private final MergeTask.Settings settings;
  private final TableState state;
  private boolean isShort;
  private boolean undivided;

  StepSpaceReservation(MergeTask.Job job) {
    this.cfs = job.cfs();
    this.merge = job.merge();
    this.settings = job.settings();
    this.state = job.state();
  }

  /**
   * Chooses the step and reserves the space that it needs. If not all runs fit, it does these in
   * order, and checks the space again after each:
   *
   * <ol>
   *   <li>wait until Cassandra has deleted the files of committed steps
   *   <li>with the turn, give up other merges and wait for their running steps
   *   <li>in the background, fail if the round could take more runs once other merges have ended
   *   <li>take a round of fewer runs
   * </ol>
   *
   * <p>A part of a major compaction also waits for deleted files if only its soft limit is at
   * stake.
   *
   * @param inputs the remaining inputs of the round
   * @param claimed all SSTables that the merge has claimed
   * @param inTurn whether the merge holds the turn, so that it may ask other merges for their space
   * @param stopped returns whether the task was stopped
   * @return the step; the caller reports its end to {@link TransientSpaceLedger#stepEnded}
   * @throws LackException if no step fits, or a background merge should wait for others
   * @throws CompactionInterruptedException if the task was stopped or its thread interrupted
   */
  Held hold(
      List<MergeInput> inputs,
      Set<SSTableReader> claimed,
      boolean inTurn,
      BooleanSupplier stopped) {
    TransientSpaceLedger ledger = state.space();
    StepPicker<DecoratedKey> all = new StepPicker<>(inputs);
    // Legacy counter shards are added up. Data that is both merged and still present would count
    // twice, so such a merge must be one step.
    undivided = undivided(claimed);
    boolean waited = false;
    while (true) {
      if (stopped.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        throw new CompactionInterruptedException("merge " + merge.id() + " was stopped");
      }
      long limit = limit(inputs);
      long allowed = ledger.free(merge, limit);
      long room = room(claimed);
      long onDisk =
          room > Long.MAX_VALUE - all.deadBytesBefore() ? room : all.deadBytesBefore() + room;
      long free = Math.min(allowed, onDisk);
      isShort = limit < Long.MAX_VALUE || free < all.deadBytesBefore() + all.restBytes();
      if (isShort && limit == Long.MAX_VALUE && !waited && spares(merge.spec())) {
        // The disk may have enough space once the files of the previous step are deleted.
        LifecycleTransaction.waitForDeletions();
        waited = true;
        continue;
      }
      Optional<List<MergeInput>> round = round(inputs, all, free);
      boolean fewer = round.isEmpty() || round.get().size() < inputs.size();
      if (isShort && fewer && free < allowed && !waited) {
        // Cassandra deletes files a moment after the commit, also those of the merge that had the
        // turn before.
        LifecycleTransaction.waitForDeletions();
        waited = true;
        continue;
      }
      if (isShort && fewer && inTurn && ledger.reclaimFromOthers(merge, stopped)) {
        waited = false;
        continue;
      }
      if (fewer && awaitsOthers(inputs, all, round, limit, onDisk)) {
        throw lack(inputs, all, limit, allowed, onDisk);
      }
      if (round.isPresent()) {
        StepPicker<DecoratedKey> choice = fewer ? new StepPicker<>(round.get()) : all;
        Optional<StepPicker.Step<DecoratedKey>> step = next(choice, free);
        long dead = step.map(StepPicker.Step::deadBytesAfter).orElse(0L);
        if (step.isPresent()
            && ledger.reserve(
                merge,
                UsableFreeSpace.bytesToReserve(step.get().peakBytes(), free),
                Math.max(choice.deadBytesBefore(), dead),
                limit)) {
          boolean last = !fewer && !merge.hasLaterRounds();
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
   * Returns the inputs that no step can rewrite, because each exceeds the space by itself even once
   * other merges have ended; empty while a round is running. May wait for deleted files.
   *
   * @param claimed all SSTables that the merge has claimed
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
      // The disk may have enough space once the files of earlier steps are deleted.
      LifecycleTransaction.waitForDeletions();
      tooLarge = exceeding(inputs, later(limit(inputs), room(claimed)));
    }
    return tooLarge;
  }

  private List<MergeInput> exceeding(List<MergeInput> inputs, long space) {
    long tableBytes = merge.spec().tableBytes();
    return inputs.stream()
        .filter(
            input ->
                Rounds.take(List.of(input), UsableFreeSpace.of(space), tableBytes, true).isEmpty())
        .toList();
  }

  /**
   * Returns the limit on the transient bytes; {@link Long#MAX_VALUE} for none. A limit that is a
   * share of the live bytes shrinks with the data that the merge purges, so the merge keeps the
   * largest value that it has seen.
   */
  private long limit(List<MergeInput> inputs) {
    long widest = inputs.stream().mapToLong(MergeInput::bytes).max().orElse(0);
    return merge.largestLimit(state.tunables().current(), settings.transientLimit().bytes(widest));
  }

  /** Logs that the merge rewrites all inputs except these, and returns the failure to report. */
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
    state.counts().lastDecision("deferred: " + sentence);
    return LackException.leavingOut(sentence);
  }

  private String merge() {
    return "merge " + merge.id() + " of " + cfs.getKeyspaceName() + "." + cfs.name;
  }

  /**
   * Returns whether a merge of these SSTables must be one step, because they have legacy counter
   * shards.
   */
  public static boolean undivided(Set<SSTableReader> inputs) {
    return inputs.stream().anyMatch(input -> input.getSSTableMetadata().hasLegacyCounterShards);
  }

  /**
   * Returns whether a background merge should wait, because its round could take more runs once
   * other merges have ended. A round of few runs makes later rounds write the same data again.
   *
   * @param inputs the remaining inputs of the round
   * @param now the inputs that fit into the space now; empty if none does
   * @param limit the space limit of the table's merges
   * @param onDisk the bytes that the disks can take now
   */
  private boolean awaitsOthers(
      List<MergeInput> inputs,
      StepPicker<DecoratedKey> all,
      Optional<List<MergeInput>> now,
      long limit,
      long onDisk) {
    if (settings.whole()) {
      return false;
    }
    Optional<List<MergeInput>> later = round(inputs, all, later(limit, onDisk));
    return later.map(List::size).orElse(0) > now.map(List::size).orElse(0);
  }

  /**
   * Returns an upper bound of the space that the merge has once other merges have ended.
   *
   * @param limit the space limit of the table's merges
   * @param onDisk the bytes that the disks can take now
   */
  private long later(long limit, long onDisk) {
    long held = state.space().heldBytes(merge);
    return Math.min(limit, onDisk > Long.MAX_VALUE - held ? Long.MAX_VALUE : onDisk + held);
  }

  /**
   * Returns the inputs of the round: those of a new one, or all inputs of a round that has begun,
   * because their merged keys count only within it. Empty if none fits.
   */
  private Optional<List<MergeInput>> round(
      List<MergeInput> inputs, StepPicker<DecoratedKey> all, long freeBytes) {
    if (all.deadBytesBefore() > 0 || !settings.writes()) {
      return Optional.of(inputs);
    }
    long limit = isShort ? UsableFreeSpace.of(freeBytes) : Long.MAX_VALUE;
    return Rounds.take(inputs, limit, merge.spec().tableBytes(), undivided);
  }

  /**
   * Returns the size of outputs. It is smaller than usual if the space limit alone, whatever the
   * disk has free now, would not let full-sized outputs be merged again.
   */
  private long outputBytes(
      List<MergeInput> inputs, StepPicker.Step<DecoratedKey> step, long freeBytes, boolean last) {
    long tableBytes = merge.spec().tableBytes();
    long limit = UsableFreeSpace.of(freeBytes);
    if (!isShort) {
      return tableBytes;
    }
    if (settings.whole() && !last) {
      return UsableFreeSpace.halves(limit, tableBytes);
    }
    if (!(step instanceof StepPicker.Cut<DecoratedKey> cut)) {
      return tableBytes;
    }
    long consumed = inputs.stream().filter(input -> input.last().compareTo(cut.at()) <= 0).count();
    return UsableFreeSpace.outputs(
        cut.stepBytes(), consumed, settings.transientLimit(), tableBytes);
  }

  private Optional<StepPicker.Step<DecoratedKey>> next(
      StepPicker<DecoratedKey> choice, long freeBytes) {
    SteppedMerge.Spec spec = merge.spec();
    if (undivided) {
      return choice.whole(spec.tableBytes(), UsableFreeSpace.of(freeBytes));
    }
    return !isShort && spares(spec)
        ? Optional.of(
            choice.sparing(
                spec.stepBytes(),
                spec.tableBytes(),
                wantedBytes(spec),
                merge.filledBytes(),
                merge.keptShare()))
        : choice.next(spec.stepBytes(), spec.tableBytes(), UsableFreeSpace.of(freeBytes));
  }

  /**
   * Returns whether the merge keeps to the soft limit: it is a part of a major compaction, which is
   * large and not urgent.
   */
  private boolean spares(SteppedMerge.Spec spec) {
    return settings.isMajor() && spec.stepBytes() < Long.MAX_VALUE;
  }

  /**
   * Returns the soft limit on the transient bytes of a part of a major compaction: a few tables, or
   * more with many live bytes, up to the bytes of a usual step.
   */
  private long wantedBytes(SteppedMerge.Spec spec) {
    long share = Math.min(spec.stepBytes(), state.liveBytes() / LIVE_TO_WANTED);
    return Math.max(MIN_TABLES_WANTED * spec.tableBytes(), share);
  }

  /**
   * Returns whether merges that run to their end must take turns, because there is a limit or the
   * disks may be too full for eight such merges at once.
   *
   * @param inputs all inputs of the merge
   */
  boolean shortFromTheStart(Set<SSTableReader> inputs) {
    if (settings.transientLimit().bytes(0) < Long.MAX_VALUE) {
      return true;
    }
    long all = 0;
    long largest = 0;
    for (SSTableReader input : inputs) {
      all += input.bytesOnDisk();
      largest = Math.max(largest, input.bytesOnDisk());
    }
    long step = Math.min(all, merge.spec().stepBytes());
    return room(inputs) / MERGES_AT_ONCE < Math.min(all, step + MERGES_AT_ONCE * largest);
  }

  /**
   * Returns whether the next step may need the space that deleted inputs of this step free; false
   * before the first {@link #hold}.
   */
  boolean isShort() {
    return isShort;
  }

  private long room(Set<SSTableReader> inputs) {
    return settings.writes() ? DiskRoom.bytes(cfs, inputs) : Long.MAX_VALUE;
  }

  private LackException lack(
      List<MergeInput> inputs,
      StepPicker<DecoratedKey> choice,
      long limit,
      long allowed,
      long onDisk) {
    long usable = later(limit, onDisk);
    long held = state.space().heldBytes(merge);
    boolean byOthers =
        held > 0
            && round(inputs, choice, usable)
                .flatMap(round -> next(new StepPicker<>(round), usable))
                .isPresent();
    String why =
        byOthers
            ? "other merges hold "
                + size(held)
                + (limit < Long.MAX_VALUE ? " of max_transient_space" : " of the disks")
            : onDisk < allowed
                ? "the disks have room for "
                    + size(Math.max(0, UsableFreeSpace.of(onDisk)))
                    + " only"
                : "max_transient_space leaves " + size(allowed);
    long needed =
        choice.deadBytesBefore() > 0
            ? choice.minBytes(merge.spec().tableBytes())
            : Rounds.minLimitBytes(inputs, merge.spec().tableBytes(), undivided);
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
    state.counts().lastDecision("deferred: " + sentence);
    return new LackException(sentence, byOthers);
  }

  private static String size(long bytes) {
    return FileUtils.stringifyFileSize(bytes);
  }
}
