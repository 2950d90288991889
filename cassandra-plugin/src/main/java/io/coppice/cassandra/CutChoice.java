// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Says how far the next step of a merge goes. A step merges the keys of all inputs up to a cut;
 * inputs that end there are <em>consumed</em> and leave the disk, those that go on beyond it are
 * <em>straddlers</em> and stay whole, so what has been merged of them lies on the disk twice: it is
 * dead. A cut is therefore always the last key of some input, as no other would free anything.
 *
 * <p>Each step writes at most what it reads, so a merge fills the disk at most by the dead bytes
 * and the bytes of the step. The smallest step takes no more than one SSTable of each run, see
 * {@link Rounds}. A merge with space to spare may also <em>trim</em> an input: it rewrites the rest
 * of one that is mostly dead. A value; made anew for each step.
 */
final class CutChoice<K extends Comparable<? super K>> {

  // The window around the wanted size in which a cut with less dead bytes is better.
  private static final double LEAST_OF_TARGET = 0.8;
  private static final double MOST_OF_TARGET = 1.2;
  private static final double LEAST_OF_LIMIT = 0.4;

  // Nor is a small rest left behind a step that is larger than wanted anyway.
  private static final double MOST_OF_LEAST = 1.1;

  // Weighing a cut costs an index lookup in each straddler.
  private static final int MOST_WEIGHED = 16;

  private static final long LEAST_PIECE = 2 * StepLimit.FILES_BYTES;

  // Below this share of the size wanted it pays to free dead bytes before.
  private static final double LEAST_SPARING = 0.25;

  /** An input as far as it matters here; bytes on disk. */
  interface Extent<K> extends Rounds.Sized<K> {

    /** All of it, what has been merged already included. */
    @Override
    long bytes();

    /** What lies at or before a key; asked only for keys from the first on and before the last. */
    long bytesUpTo(K key);

    /** What earlier steps have merged; it is dead. */
    long doneBytes();

    /** What is left to merge of it. */
    default long restBytes() {
      return bytes() - doneBytes();
    }
  }

  /** What a step does. */
  sealed interface Step<K> {
    /** What the step reads, and at most writes. */
    long stepBytes();

    /** By how much the merge has filled the disk at most when the step ends. */
    long peakBytes();

    /** What is dead after the step. */
    long deadBytes();
  }

  /**
   * A place to cut.
   *
   * @param at the last key of the step
   * @param stepBytes what the step reads, and at most writes
   * @param peakBytes by how much the merge has filled the disk at most when the step ends
   * @param deadBytes what is dead after the step
   */
  record Cut<K>(K at, long stepBytes, long peakBytes, long deadBytes) implements Step<K> {}

  /**
   * An input whose rest is rewritten.
   *
   * @param pieceBytes the size of its outputs
   */
  record Trim<K>(Extent<K> input, long pieceBytes, long stepBytes, long peakBytes, long deadBytes)
      implements Step<K> {}

  private final List<Extent<K>> byLast;
  private final long[] restUpTo;
  private final long deadBefore;

  /**
   * Takes the inputs that are left.
   *
   * @param inputs at least one, in any order
   */
  CutChoice(List<? extends Extent<K>> inputs) {
    byLast = new ArrayList<>(inputs);
    byLast.sort(Comparator.comparing(Extent::last));
    restUpTo = new long[byLast.size()];
    long rest = 0;
    long dead = 0;
    for (int i = 0; i < restUpTo.length; i++) {
      Extent<K> input = byLast.get(i);
      rest += input.bytes() - input.doneBytes();
      dead += input.doneBytes();
      restUpTo[i] = rest;
    }
    deadBefore = dead;
  }

  /** What is left to merge. */
  long restBytes() {
    return restUpTo[restUpTo.length - 1];
  }

  /** What is dead before the step. */
  long deadBytes() {
    return deadBefore;
  }

  /** The smallest step there is. */
  Cut<K> least() {
    return cut(0);
  }

  /**
   * The cut whose step comes near a size; of those that come near enough the one that leaves the
   * fewest bytes dead.
   *
   * @param targetBytes the size wanted, {@link Long#MAX_VALUE} for all that is left in one step
   * @param limitBytes by how much the merge may fill the disk
   * @return empty if even the smallest step would fill it by more
   */
  Optional<Cut<K>> choose(long targetBytes, long limitBytes) {
    int most = firstAbove(limitBytes - deadBefore) - 1;
    if (most < 0) {
      return Optional.empty();
    }
    long wanted = (long) (targetBytes * LEAST_OF_TARGET);
    long largest = cut(most).stepBytes();
    // Where space is short, what is dead after the step counts more than the step's size.
    int from = firstAbove(largest < wanted ? (long) (largest * LEAST_OF_LIMIT) : wanted - 1);
    from = Math.min(most, from);
    long tolerable =
        (long) Math.max(targetBytes * MOST_OF_TARGET, cut(from).stepBytes() * MOST_OF_LEAST);
    int to = Math.min(most, firstAbove(tolerable) - 1);
    int stride = Math.max(1, (to - from) / MOST_WEIGHED);
    // The largest where several leave as much dead.
    Cut<K> best = cut(to);
    for (int i = to - stride; i >= from; i -= stride) {
      Cut<K> other = cut(i);
      best = other.deadBytes() < best.deadBytes() ? other : best;
    }
    return Optional.of(best);
  }

  /**
   * Returns the next step. Where the inputs passed {@link Rounds#take} with the same limit, there
   * is one after any earlier steps.
   *
   * @param targetBytes the size wanted of a cut
   * @param outputBytes the size of the outputs of a cut, {@link Long#MAX_VALUE} for a single one
   * @param limitBytes by how much the merge may fill the disk
   * @return empty if not even the smallest cut keeps to the limit
   */
  Optional<Step<K>> next(long targetBytes, long outputBytes, long limitBytes) {
    long step = Math.min(restBytes(), Math.min(targetBytes, limitBytes));
    Optional<Cut<K>> cut = choose(targetBytes, limitBytes - StepLimit.files(step, outputBytes));
    if (cut.isPresent()) {
      return Optional.of(cut.get());
    }
    return leastBytes(outputBytes) <= limitBytes ? Optional.of(least()) : Optional.empty();
  }

  /** Returns the limit that the smallest step needs, its files included. */
  long leastBytes(long outputBytes) {
    Cut<K> least = least();
    return least.peakBytes + StepLimit.files(least.stepBytes, outputBytes);
  }

  /**
   * The next step of a merge that had better not fill the disk by more than so much, but is not
   * held to it: a cut that keeps to it; else an input is trimmed that frees at least as much as is
   * written for it; else about the smallest cut. No cut is made smaller than an output for that.
   * What is dead of inputs that are larger than that by themselves does not count, as nothing can
   * be done about it.
   *
   * @param targetBytes the size wanted of a cut
   * @param outputBytes the size of outputs
   * @param wantedBytes by how much the merge had better fill the disk at most
   * @param filledBytes by how much it does now: what its steps have written, less what went by
   *     them; below 0 if more went
   * @param kept which share of what a step reads it is likely to write, above 0 and at most 1
   */
  Step<K> sparing(
      long targetBytes, long outputBytes, long wantedBytes, long filledBytes, double kept) {
    long filled = filledBytes;
    for (Extent<K> input : byLast) {
      filled -= input.bytes() > wantedBytes ? input.doneBytes() : 0;
    }
    double spare = Math.max(0, wantedBytes - filled);
    // What a step writes stays an SSTable of its own, so none is wanted of less than a whole one.
    long most = Math.max((long) (spare / kept), outputBytes);
    Optional<Cut<K>> cut = choose(targetBytes, deadBefore + most);
    if (cut.isEmpty() || cut.get().stepBytes < LEAST_SPARING * targetBytes) {
      Optional<Trim<K>> trim = mostlyDone(spare, outputBytes);
      if (trim.isPresent()) {
        return trim.get();
      }
    }
    // Inputs that end close to the first one go with it.
    return cut.orElseGet(() -> choose(least().stepBytes(), Long.MAX_VALUE).orElseGet(this::least));
  }

  /**
   * All that is left as one step.
   *
   * @param outputBytes the size of its outputs, {@link Long#MAX_VALUE} for a single one
   * @param limitBytes by how much the merge may fill the disk
   * @return empty if it would fill it by more
   */
  Optional<Step<K>> whole(long outputBytes, long limitBytes) {
    long files = StepLimit.files(restBytes(), outputBytes);
    return wholePeakBytes() + files <= limitBytes
        ? Optional.of(cut(byLast.size() - 1))
        : Optional.empty();
  }

  /** What {@link #whole} needs. */
  long wholePeakBytes() {
    return deadBefore + restBytes();
  }

  /** Trims the input that frees the most for what it takes. */
  private Optional<Trim<K>> mostlyDone(double spareBytes, long outputBytes) {
    Extent<K> best = null;
    for (Extent<K> input : byLast) {
      boolean pays = input.doneBytes() >= Math.max(LEAST_PIECE, input.restBytes());
      if (pays && input.restBytes() <= spareBytes && (best == null || share(best) < share(input))) {
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

  private static double share(Extent<?> input) {
    return (double) input.doneBytes() / Math.max(1, input.bytes());
  }

  /** The bytes of the largest input. */
  long widestBytes() {
    return byLast.stream().mapToLong(Extent::bytes).max().orElse(0);
  }

  /** The first input at whose end a step exceeds a size, or how many inputs there are. */
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
    for (Extent<K> input : byLast.subList(consumed, byLast.size())) {
      if (input.first().compareTo(at) <= 0) {
        long merged = input.bytesUpTo(at);
        dead += merged;
        step += Math.max(0, merged - input.doneBytes());
      }
    }
    return new Cut<>(at, step, deadBefore + step, dead);
  }
}
