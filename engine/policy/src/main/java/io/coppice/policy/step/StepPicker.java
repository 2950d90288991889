// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Picker of the next step of a merge: it chooses how far the step goes.
 *
 * <p>A step merges the keys of all inputs up to a <em>cut</em>. Inputs that end there are
 * <em>consumed</em> and deleted. <em>Straddling inputs</em> continue beyond the cut and stay whole,
 * so their merged part is on the disk twice: its bytes are <em>dead</em>. A cut is always the last
 * key of some input, because any other key would free nothing:
 *
 * <pre>
 * input a  [=======]            consumed
 * input b  [===]                consumed
 * input c     [====.........]   straddles; the part up to the cut is dead
 *                  ^ cut = last key of a
 * </pre>
 *
 * <p>A step writes at most the bytes that it reads. The <em>transient bytes</em> of a merge, which
 * it adds to the disk until its inputs are deleted, are therefore at most its dead bytes plus the
 * bytes of the step. The smallest step takes at most one SSTable of each run, see {@link Rounds}. A
 * merge with space to spare may also <em>trim</em> an input: it rewrites the rest of an input that
 * is mostly dead.
 *
 * <p>Immutable; each step creates its own.
 */
public final class StepPicker<K extends Comparable<? super K>> {

  // Sizes, relative to the wanted one, among which the cut with the fewest dead bytes wins.
  private static final double MIN_OF_TARGET = 0.8;
  private static final double MAX_OF_TARGET = 1.2;
  private static final double MIN_OF_LIMIT = 0.4;

  // A step that is larger than wanted anyway may grow by this factor, to take a small rest with it.
  private static final double MAX_OF_MIN = 1.1;

  // Intervals into which a choice divides its range of cuts. It weighs at most twice as many cuts.
  // Each costs one index lookup per straddling input.
  private static final int MAX_WEIGHED = 16;

  private static final long MIN_PIECE = 2 * UsableFreeSpace.FILES_BYTES;

  // Least share of the wanted size for a cut. Below it, a trim that frees dead bytes comes first.
  private static final double MIN_SPARING = 0.25;

  /** The properties of an input that matter to the choice. Sizes are bytes on disk. Immutable. */
  public interface StepInput<K> extends Rounds.Sized<K> {

    /** Returns the bytes of the whole input, including the part already merged. */
    @Override
    long bytes();

    /**
     * Returns the bytes up to a key, inclusive. Called only for keys from the first (inclusive) to
     * the last (exclusive).
     */
    long bytesUpTo(K key);

    /** Returns the bytes that earlier steps have merged, all of them dead. */
    long doneBytes();

    /** Returns the bytes of this input left to merge. */
    default long restBytes() {
      return bytes() - doneBytes();
    }
  }

  /** A step that a merge can take next: a cut or a trim. Immutable. */
  public sealed interface Step<K> {
    /** Returns the bytes that the step reads. It writes at most as many. */
    long stepBytes();

    /** Returns the peak transient bytes of the merge up to the end of the step. */
    long peakBytes();

    /** Returns the bytes that are dead after the step. */
    long deadBytesAfter();
  }

  /**
   * A step up to a cut.
   *
   * @param at the last key of the step, inclusive
   * @param stepBytes bytes that the step reads, and at most writes
   * @param peakBytes the peak transient bytes of the merge up to the end of the step
   * @param deadBytesAfter bytes that are dead after the step
   */
  public record Cut<K>(K at, long stepBytes, long peakBytes, long deadBytesAfter)
      implements Step<K> {}

  /**
   * A step that rewrites the rest of one input.
   *
   * @param pieceBytes the size of its outputs in bytes
   */
  public record Trim<K>(
      StepInput<K> input, long pieceBytes, long stepBytes, long peakBytes, long deadBytesAfter)
      implements Step<K> {}

  /**
   * Returns the bytes that a step of this many outputs reads; {@link Long#MAX_VALUE} if {@code
   * outputsPerStep} is 0 or the product overflows.
   */
  public static long stepBytes(long tableBytes, int outputsPerStep) {
    return outputsPerStep == 0 || tableBytes > Long.MAX_VALUE / outputsPerStep
        ? Long.MAX_VALUE
        : tableBytes * outputsPerStep;
  }

  private final List<StepInput<K>> byLast;
  private final long[] restUpTo;
  private final long deadBefore;

  /**
   * Creates the picker for the remaining inputs.
   *
   * @param inputs at least one, in any order
   */
  public StepPicker(List<? extends StepInput<K>> inputs) {
    byLast = new ArrayList<>(inputs);
    byLast.sort(Comparator.comparing(StepInput::last));
    restUpTo = new long[byLast.size()];
    long rest = 0;
    long dead = 0;
    for (int i = 0; i < restUpTo.length; i++) {
      StepInput<K> input = byLast.get(i);
      rest += input.bytes() - input.doneBytes();
      dead += input.doneBytes();
      restUpTo[i] = rest;
    }
    deadBefore = dead;
  }

  /** Returns the bytes of all inputs left to merge. */
  public long restBytes() {
    return restUpTo[restUpTo.length - 1];
  }

  /** Returns the bytes that are dead before the step. */
  public long deadBytesBefore() {
    return deadBefore;
  }

  /** Returns the smallest possible step. */
  Cut<K> least() {
    return cut(0);
  }

  /**
   * Returns a cut within the limit whose step reads 80 to 120 % of a size, if there is one.
   * Otherwise steps from the smallest above that range to 10 % more are considered. If the limit
   * permits only steps below 80 %, steps from 40 % of the largest that fits are considered. Among
   * up to 32 cuts compared, the one that leaves the fewest dead bytes wins; ties go to the largest
   * step.
   *
   * @param targetBytes the wanted size, {@link Long#MAX_VALUE} for all that is left in one step
   * @param limitBytes limit on the transient bytes of the merge
   * @return empty if even the smallest step exceeds the limit
   */
  Optional<Cut<K>> choose(long targetBytes, long limitBytes) {
    int most = firstAbove(limitBytes - deadBefore) - 1;
    if (most < 0) {
      return Optional.empty();
    }
    long wanted = (long) (targetBytes * MIN_OF_TARGET);
    long largest = cut(most).stepBytes();
    // If space is short, the dead bytes after the step matter more than its size.
    int from = firstAbove(largest < wanted ? (long) (largest * MIN_OF_LIMIT) : wanted - 1);
    from = Math.min(most, from);
    long tolerable =
        (long) Math.max(targetBytes * MAX_OF_TARGET, cut(from).stepBytes() * MAX_OF_MIN);
    int to = Math.min(most, firstAbove(tolerable) - 1);
    int stride = Math.max(1, (to - from) / MAX_WEIGHED);
    // Ties go to the largest step.
    Cut<K> best = cut(to);
    for (int i = to - stride; i >= from; i -= stride) {
      Cut<K> other = cut(i);
      best = other.deadBytesAfter() < best.deadBytesAfter() ? other : best;
    }
    return Optional.of(best);
  }

  /**
   * Returns the next step. If the inputs passed {@link Rounds#take} with the same limit, a step
   * exists at any time until all are merged.
   *
   * @param targetBytes the wanted size of a cut
   * @param outputBytes the size of the outputs of a cut, {@link Long#MAX_VALUE} for a single one
   * @param limitBytes limit on the transient bytes of the merge, with the cost of its files
   * @return empty if even the smallest cut exceeds the limit
   */
  public Optional<Step<K>> next(long targetBytes, long outputBytes, long limitBytes) {
    long step = Math.min(restBytes(), Math.min(targetBytes, limitBytes));
    Optional<Cut<K>> cut =
        choose(targetBytes, limitBytes - UsableFreeSpace.files(step, outputBytes));
    if (cut.isPresent()) {
      return Optional.of(cut.get());
    }
    return minBytes(outputBytes) <= limitBytes ? Optional.of(least()) : Optional.empty();
  }

  /** Returns the limit that the smallest step needs, including the fixed cost of its files. */
  public long minBytes(long outputBytes) {
    Cut<K> least = least();
    return least.peakBytes + UsableFreeSpace.files(least.stepBytes, outputBytes);
  }

  /**
   * Returns the next step of a merge with a soft limit on its transient bytes. The preference is,
   * in order: a cut within the limit; a trim of an input that frees at least as many bytes as it
   * writes; about the smallest cut. A cut is never made smaller than one output for the limit. A
   * trim may exceed the limit if it writes at most one output, or less than the cut would. Dead
   * bytes of inputs that exceed the limit by themselves are ignored, because every step has them.
   *
   * @param targetBytes the wanted size of a cut
   * @param outputBytes the size of outputs
   * @param wantedBytes the soft limit on the transient bytes
   * @param filledBytes the transient bytes of the merge now: bytes that its steps have written
   *     minus bytes that they have freed; may be negative
   * @param kept the share of its input that a step is likely to write, above 0 and at most 1
   */
  public Step<K> sparing(
      long targetBytes, long outputBytes, long wantedBytes, long filledBytes, double kept) {
    long filled = filledBytes;
    for (StepInput<K> input : byLast) {
      filled -= input.bytes() > wantedBytes ? input.doneBytes() : 0;
    }
    double spare = Math.max(0, wantedBytes - filled);
    // The outputs of a step stay SSTables of their own, so a step should fill at least one.
    long most = Math.max((long) (spare / kept), outputBytes);
    Optional<Cut<K>> cut = choose(targetBytes, deadBefore + most);
    if (cut.isEmpty() || cut.get().stepBytes < MIN_SPARING * targetBytes) {
      // If space is too small, the trim competes with a cut that exceeds the space as well.
      double instead = kept * cut.orElseGet(this::least).stepBytes();
      double room = Math.max(spare, Math.max(outputBytes, instead));
      Optional<Trim<K>> trim = mostlyDone(room, outputBytes);
      if (trim.isPresent()) {
        return trim.get();
      }
    }
    // The cut also takes inputs that end close to the first one.
    return cut.orElseGet(() -> choose(least().stepBytes(), Long.MAX_VALUE).orElseGet(this::least));
  }

  /**
   * Returns all that is left as one step.
   *
   * @param outputBytes the size of its outputs, {@link Long#MAX_VALUE} for a single one
   * @param limitBytes limit on the transient bytes of the merge, with the cost of its files
   * @return empty if the step exceeds the limit
   */
  public Optional<Step<K>> whole(long outputBytes, long limitBytes) {
    long files = UsableFreeSpace.files(restBytes(), outputBytes);
    return wholePeakBytes() + files <= limitBytes
        ? Optional.of(cut(byLast.size() - 1))
        : Optional.empty();
  }

  /** Returns the peak transient bytes of {@link #whole}, without the cost of its files. */
  public long wholePeakBytes() {
    return deadBefore + restBytes();
  }

  /**
   * Returns a trim of the input with the largest dead share, among those that pay and fit; empty if
   * there is none.
   *
   * @param roomBytes most bytes that the trim may write
   */
  private Optional<Trim<K>> mostlyDone(double roomBytes, long outputBytes) {
    StepInput<K> best = null;
    for (StepInput<K> input : byLast) {
      boolean pays = input.doneBytes() >= Math.max(MIN_PIECE, input.restBytes());
      if (pays && input.restBytes() <= roomBytes && (best == null || share(best) < share(input))) {
        best = input;
      }
    }
    if (best == null) {
      return Optional.empty();
    }
    long rest = best.restBytes();
    long dead = deadBefore - best.doneBytes();
    return Optional.of(new Trim<>(best, outputBytes, rest, deadBefore + rest, dead));
  }

  private static double share(StepInput<?> input) {
    return (double) input.doneBytes() / Math.max(1, input.bytes());
  }

  /** Returns the bytes of the largest input. */
  public long widestBytes() {
    return byLast.stream().mapToLong(StepInput::bytes).max().orElse(0);
  }

  /**
   * Returns the index of the first input whose end makes a step exceed a size, in the order of last
   * keys; the number of inputs if there is none.
   */
  private int firstAbove(long bytes) {
    int from = 0;
    int to = byLast.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (cut(middle).stepBytes() > bytes) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }

  private Cut<K> cut(int index) {
    K at = byLast.get(index).last();
    int consumed = index + 1;
    while (consumed < byLast.size() && byLast.get(consumed).last().compareTo(at) == 0) {
      consumed++;
    }
    long step = restUpTo[consumed - 1];
    long dead = 0;
    for (StepInput<K> input : byLast.subList(consumed, byLast.size())) {
      if (input.first().compareTo(at) <= 0) {
        long merged = input.bytesUpTo(at);
        dead += merged;
        step += Math.max(0, merged - input.doneBytes());
      }
    }
    return new Cut<>(at, step, deadBefore + step, dead);
  }
}
