// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Says how far the next step of a merge goes. A step merges the keys of all inputs up to a cut;
 * inputs that end there are <em>consumed</em> and leave the disk, those that go on beyond it are
 * <em>straddlers</em> and stay whole, so what has been merged of them lies on the disk twice: it is
 * dead. A cut is therefore always the last key of some input, as no other would free anything.
 *
 * <p>Each step writes at most what it reads, so a merge fills the disk at most by the dead bytes
 * and the bytes of the step. A value; made anew for each step.
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

  /** An input as far as it matters here; bytes on disk. */
  interface Extent<K> {
    K first();

    K last();

    /** All of it, what has been merged already included. */
    long bytes();

    /** What lies at or before a key; asked only for keys from the first on and before the last. */
    long bytesUpTo(K key);

    /** What earlier steps have merged; it is dead. */
    long doneBytes();
  }

  /**
   * A place to cut.
   *
   * @param at the last key of the step
   * @param stepBytes what the step reads, and at most writes
   * @param peakBytes by how much the merge has filled the disk at most when the step ends
   * @param deadBytes what is dead after the step
   */
  record Cut<K>(K at, long stepBytes, long peakBytes, long deadBytes) {}

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
   * The same, but ever smaller while there is no room on the disks.
   *
   * @param room whether the disks have room for so many bytes
   * @return empty if not even the smallest step fits
   */
  Optional<Cut<K>> choose(long targetBytes, long limitBytes, LongPredicate room) {
    Optional<Cut<K>> cut = choose(targetBytes, limitBytes);
    while (cut.isPresent() && !room.test(cut.get().stepBytes())) {
      cut = choose(cut.get().stepBytes() / 2, cut.get().peakBytes() - 1);
    }
    return cut;
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
