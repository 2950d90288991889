// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.policy.step.StepPicker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.TimeUUID;

/**
 * Stepped merge: one merge as a series of step transactions, the <em>early cleaning</em> of SifrDB
 * (section 3.4). Each step deletes the inputs that it has consumed.
 *
 * <p>Cassandra's own merge needs free space for all of its output before it deletes the first
 * input. A stepped merge divides the key range into steps. Each step merges the keys of all inputs
 * up to a <em>cut</em>, writes them into outputs and commits. Inputs that end at the cut are
 * <em>consumed</em> and deleted; inputs that continue beyond it (<em>straddling inputs</em>) stay
 * whole:
 *
 * <pre>
 * input a  [----------]                     after step 1: a consumed
 * input b     [------------------]          b straddles, its cursor is the cut
 * input c                [-------------]    c untouched
 *                     ^ cut of step 1
 * outputs  [==========]                     pinned: b's cursor relies on them
 * </pre>
 *
 * <p>The <em>cursor</em> of an input is its last key that the outputs contain. The cursor is kept
 * in memory alone. It is valid only while every output that may hold keys of the input is live and
 * untouched; the next step claims those outputs and thereby checks it ({@code PinnedOutputs}).
 * Losing a cursor costs one more read of an SSTable from its start, while a wrong cursor would lose
 * data. Cursors are therefore never saved.
 *
 * <p>A <em>trim</em> is a step without a cut: it rewrites the rest of one input, to free the part
 * that earlier steps have merged.
 *
 * <p>Between two steps, the SSTables on disk form a state that Cassandra could have reached by
 * itself. The merge may therefore end after any step, and the policy plans the rest again.
 *
 * <p>Thread-safe. SSTables with equal descriptors are the same here, whichever reader represents
 * them.
 */
public final class SteppedMerge {

  /**
   * Specification of a merge.
   *
   * @param level the level of its outputs
   * @param tableBytes the size in bytes above which an output is cut; {@link Long#MAX_VALUE} means
   *     never
   * @param outputsPerStep the cleaning threshold: the number of outputs that a step should have; 0
   *     means all
   * @param reason why the merge runs, as part of a sentence
   */
  public record Spec(int level, long tableBytes, int outputsPerStep, String reason) {

    /**
     * Returns the input bytes that one step should read: {@code tableBytes} times {@code
     * outputsPerStep}; {@link Long#MAX_VALUE} if {@code outputsPerStep} is 0 or the product
     * overflows.
     */
    public long stepBytes() {
      return StepPicker.stepBytes(tableBytes, outputsPerStep);
    }
  }

  private static final int MAX_PASSED_OVER = 3;

  // Least value of keptShare(): the next step may keep data although no earlier step kept any.
  private static final double MIN_KEPT = 0.1;

  // Longest wait for an SSTable. A task that claims it for longer is likely to rewrite it.
  private static final long MAX_WAITING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Progress of one input.
   *
   * @param at the last key of the input that is in outputs, inclusive; empty before the first step
   * @param steps the outputs of the steps that moved the cursor
   */
  private record Cursor(Optional<DecoratedKey> at, Set<SSTableReader> steps) {

    static final Cursor NONE = new Cursor(Optional.empty(), Set.of());

    Cursor moved(DecoratedKey cut, Collection<SSTableReader> written) {
      Set<SSTableReader> all = new HashSet<>(steps);
      all.addAll(written);
      return new Cursor(Optional.of(cut), all);
    }
  }

  private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();
  private final Spec spec;

  @GuardedBy("this")
  private final Map<SSTableReader, Cursor> cursors = new LinkedHashMap<>();

  @GuardedBy("this")
  private final Set<SSTableReader> outputs = new HashSet<>();

  // Inputs that wait for a later round.
  @GuardedBy("this")
  private final Set<SSTableReader> aside = new HashSet<>();

  @GuardedBy("this")
  private int steps;

  private volatile int shards = -1;

  @GuardedBy("this")
  private long readBytes;

  // Bytes on disk that the steps between two cuts have read and written.
  @GuardedBy("this")
  private long mergedBytes;

  @GuardedBy("this")
  private long keptBytes;

  @GuardedBy("this")
  private long filledBytes;

  @GuardedBy("this")
  private boolean running;

  @GuardedBy("this")
  private boolean givenUp;

  // How often other plans went first since the last step of this merge.
  @GuardedBy("this")
  private int passedOver;

  // When the merge began to wait for SSTables that another task has claimed; null while it does not
  // wait.
  @GuardedBy("this")
  private Long waitingSinceNanos;

  @GuardedBy("this")
  private Throwable failure;

  // How often tasks of the first inputs had failed before the merge began.
  @GuardedBy("this")
  private int earlierFailures;

  // The largest space limit so far, and the options that determine it.
  @GuardedBy("this")
  private Object limitedBy = "";

  @GuardedBy("this")
  private long limit;

  public SteppedMerge(Spec spec, Collection<SSTableReader> inputs) {
    this.spec = spec;
    inputs.forEach(input -> cursors.put(input, Cursor.NONE));
  }

  public TimeUUID id() {
    return id;
  }

  public Spec spec() {
    return spec;
  }

  /** Returns the inputs that no step has consumed, including those of later rounds. */
  public synchronized Set<SSTableReader> inputs() {
    Set<SSTableReader> inputs = new HashSet<>(cursors.keySet());
    inputs.addAll(aside);
    return inputs;
  }

  /** Returns whether the current round of the merge reads the input, see {@code Rounds}. */
  public synchronized boolean takes(SSTableReader input) {
    return cursors.containsKey(input);
  }

  /** Leaves inputs without a cursor to a later round of the merge, see {@code Rounds}. */
  public synchronized void putAside(Collection<SSTableReader> inputs) {
    cursors.keySet().removeAll(inputs);
    aside.addAll(inputs);
  }

  /** Returns whether further rounds of the merge follow the current one, see {@code Rounds}. */
  public synchronized boolean hasLaterRounds() {
    return !aside.isEmpty();
  }

  /**
   * Begins the next round if the current one has ended. Its inputs are the outputs of the ended
   * round and the inputs that were put aside.
   *
   * @return false if the round has not ended or is the last
   */
  public synchronized boolean beginsNextRound() {
    if (!cursors.isEmpty() || aside.isEmpty()) {
      return false;
    }
    outputs.forEach(output -> cursors.put(output, Cursor.NONE));
    aside.forEach(input -> cursors.put(input, Cursor.NONE));
    outputs.clear();
    aside.clear();
    return true;
  }

  /**
   * Returns whether any input satisfies the predicate, which is called under the lock of the merge,
   * up to the first input that does.
   */
  public synchronized boolean hasAny(Predicate<SSTableReader> so) {
    return inputs().stream().anyMatch(so);
  }

  /**
   * Returns the SSTables that plans must leave alone until the merge ends: its inputs and outputs;
   * empty once it has ended.
   */
  public synchronized Set<SSTableReader> members() {
    Set<SSTableReader> members = inputs();
    if (!members.isEmpty()) {
      members.addAll(outputs);
    }
    return members;
  }

  /** Returns the last key of an input that the outputs contain, inclusive; empty for none. */
  public synchronized Optional<DecoratedKey> cursor(SSTableReader input) {
    return cursors.getOrDefault(input, Cursor.NONE).at;
  }

  /**
   * Returns the pinned outputs of an input, on which its cursor relies: the outputs of its steps
   * that may hold keys of the input.
   */
  public synchronized List<SSTableReader> pinnedOutputs(SSTableReader input) {
    List<SSTableReader> pinned = new ArrayList<>();
    for (SSTableReader output : cursors.getOrDefault(input, Cursor.NONE).steps) {
      if (input.getFirst().compareTo(output.getLast()) <= 0) {
        pinned.add(output);
      }
    }
    return pinned;
  }

  /**
   * Resets the cursor of an input. The next step reads the input from its start and relies on no
   * earlier output for it.
   */
  public synchronized void forget(SSTableReader input) {
    cursors.replace(input, Cursor.NONE);
  }

  /** Removes an input that another task has taken or that the merge leaves out. */
  public synchronized void drop(SSTableReader input) {
    cursors.remove(input);
    aside.remove(input);
  }

  /** Adds outputs that a step is about to commit, so that no other plan takes them. */
  public synchronized void expect(Collection<SSTableReader> written) {
    outputs.addAll(written);
  }

  /**
   * Records a committed step: removes the consumed inputs and moves the cursors of the straddling
   * inputs to the cut.
   *
   * @param written the outputs
   * @param bytes uncompressed bytes that the step has read
   */
  public synchronized void recordStep(
      DecoratedKey cut,
      Collection<SSTableReader> consumed,
      Collection<SSTableReader> straddlers,
      Collection<SSTableReader> written,
      long bytes) {
    cursors.keySet().removeAll(consumed);
    straddlers.forEach(
        straddler -> cursors.computeIfPresent(straddler, (same, at) -> at.moved(cut, written)));
    outputs.addAll(written);
    countStep(bytes);
  }

  /**
   * Records the bytes on disk that a step has read and written, for {@link #keptShare}. Trims do
   * not count.
   */
  public synchronized void recordVolume(long read, long written) {
    mergedBytes += read;
    keptBytes += written;
  }

  /**
   * Adds to {@link #filledBytes} the bytes of files that a step has written, less those it has
   * freed.
   */
  public synchronized void recordDiskChange(long written, long freed) {
    filledBytes += written - freed;
  }

  /**
   * Returns the transient bytes now: bytes written minus bytes freed, negative if more were freed.
   */
  public synchronized long filledBytes() {
    return filledBytes;
  }

  /**
   * Returns the share of the bytes read that the steps up to a cut have written, between 0.1 and 1;
   * 1 before the first one.
   */
  public synchronized double keptShare() {
    return mergedBytes == 0 ? 1 : Math.min(1, Math.max(MIN_KEPT, (double) keptBytes / mergedBytes));
  }

  @GuardedBy("this")
  private void countStep(long bytes) {
    readBytes += bytes;
    steps++;
    passedOver = 0;
    waitingSinceNanos = null;
  }

  /**
   * Records a committed step that has rewritten the rest of an input.
   *
   * @param pieces the outputs of the step, which are inputs from now on
   * @param bytes uncompressed bytes that the step has read
   */
  public synchronized void recordTrim(
      SSTableReader input, Collection<SSTableReader> pieces, long bytes) {
    cursors.remove(input);
    pieces.forEach(piece -> cursors.put(piece, Cursor.NONE));
    outputs.removeAll(pieces);
    countStep(bytes);
  }

  /**
   * Records the space limit as of now, and returns the largest one in bytes recorded since its
   * options last changed.
   *
   * @param options the options that determine the limit, besides the live bytes
   * @param now the limit as of now, in bytes
   */
  public synchronized long largestLimit(Object options, long now) {
    limit = options.equals(limitedBy) ? Math.max(limit, now) : now;
    limitedBy = options;
    return limit;
  }

  /**
   * Notes that another task has claimed an input or a pinned output. Does not wait itself.
   *
   * @return false once the merge has waited for ten seconds since the first such note
   */
  public synchronized boolean noteWait(long nowNanos) {
    if (waitingSinceNanos == null) {
      waitingSinceNanos = nowNanos;
    }
    return nowNanos - waitingSinceNanos < MAX_WAITING_NANOS;
  }

  /** Ends a wait that {@link #noteWait} began. The next wait begins at zero. */
  public synchronized void endWait() {
    waitingSinceNanos = null;
  }

  /**
   * Returns the number of shards into which the outputs are cut. It is counted at the first call,
   * so that all steps agree. Called by the running step alone.
   *
   * @param count counts the shards
   */
  public int shards(ToIntFunction<Spec> count) {
    // No lock is held: counting reads files, and planners of the table query all merges.
    if (shards < 0) {
      shards = count.applyAsInt(spec);
    }
    return shards;
  }

  public synchronized int steps() {
    return steps;
  }

  /** Returns the uncompressed bytes that all steps of the merge have read. */
  public synchronized long readBytes() {
    return readBytes;
  }

  /** Returns whether all inputs are consumed or dropped, in all rounds. */
  public synchronized boolean finished() {
    return cursors.isEmpty() && aside.isEmpty();
  }

  /** Returns whether a task of the merge runs, or is about to do its next step. */
  public synchronized boolean running() {
    return running;
  }

  public synchronized void setRunning(boolean now) {
    running = now;
  }

  /** Makes the merge end before its next step. Does not wait for a running step. */
  public synchronized void giveUp() {
    givenUp = true;
  }

  public synchronized boolean givenUp() {
    return givenUp;
  }

  /**
   * Ends the merge because of a failure that is likely to repeat; {@link #takeFailure} returns it.
   */
  public synchronized void fail(Throwable cause) {
    givenUp = true;
    failure = cause;
  }

  /** Sets how often tasks of the inputs have failed. Called before the first step. */
  public synchronized void failedBefore(int failures) {
    earlierFailures = failures;
  }

  public synchronized int earlierFailures() {
    return earlierFailures;
  }

  /** Returns the failure of {@link #fail} at the first call; empty without one, and afterwards. */
  public synchronized Optional<Throwable> takeFailure() {
    Optional<Throwable> taken = Optional.ofNullable(failure);
    failure = null;
    return taken;
  }

  /**
   * Records that another plan ran before this merge's next step; three times make the merge {@link
   * #due}.
   */
  public synchronized void passOver() {
    passedOver++;
  }

  /** Returns whether this merge is due, because other plans went first three times. */
  public synchronized boolean due() {
    return passedOver >= MAX_PASSED_OVER;
  }
}
