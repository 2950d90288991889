// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Lets merges of a table that go on to their end go one after the other. Those of a major
 * compaction keep no thread waiting for each other: they are announced together, whoever comes
 * first leaves all of them here, and who has the turn for such merges carries out what was left.
 * Thread-safe.
 */
final class Turns<T> {

  private static final long POLL_MILLIS = 50;

  private final Set<T> announced = new LinkedHashSet<>();
  private final Queue<T> waiting = new ArrayDeque<>();
  private boolean taken;

  // True if who has the turn carries out what was left.
  private boolean serves;
  private Optional<T> carriedOut = Optional.empty();

  /** A merge will come, on a thread that may be busy for long. */
  synchronized void announce(T merge) {
    announced.add(merge);
  }

  /**
   * A merge that was announced comes.
   *
   * @return all that have been announced, in that order; empty if an earlier one has got this one
   */
  synchronized List<T> come(T merge) {
    if (!announced.contains(merge)) {
      return List.of();
    }
    List<T> all = List.copyOf(announced);
    announced.clear();
    return all;
  }

  /** Leaves a merge to who has the turn, or will have it. */
  synchronized void leave(T merge) {
    waiting.add(merge);
  }

  /** True if none of these waits, nor is carried out. */
  synchronized boolean over(List<T> merges) {
    return Collections.disjoint(waiting, merges) && carriedOut.filter(merges::contains).isEmpty();
  }

  /**
   * Waits for the turn and takes it.
   *
   * @param served true to carry out what was left, see {@link #next}
   * @return false if it was stopped, or its thread interrupted, before its turn came
   */
  synchronized boolean take(boolean served, BooleanSupplier stopped) {
    while (taken) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      try {
        wait(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    taken = true;
    serves = served;
    return true;
  }

  /** The next merge for who has the turn; if there is none, the turn is free again. */
  synchronized Optional<T> next() {
    carriedOut = Optional.ofNullable(serves ? waiting.poll() : null);
    taken = carriedOut.isPresent();
    notifyAll();
    return carriedOut;
  }

  /** Takes a merge back; false if it does not wait, as it runs or has run. */
  synchronized boolean withdraw(T merge) {
    return waiting.remove(merge);
  }
}
