// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * Lets merges of a table that go on to their end go one after the other. A merge of a major
 * compaction keeps no thread waiting while another such merge has the turn: it is left behind, and
 * who has the turn carries it out after its own. Thread-safe.
 */
final class Turns<T> {

  private static final long POLL_MILLIS = 50;

  private final Queue<T> waiting = new ArrayDeque<>();
  private boolean taken;

  // True if who has the turn carries out what others leave behind.
  private boolean serves;

  /** Leaves a merge to who has the turn; false if nobody has it who carries it out. */
  synchronized boolean leave(T merge) {
    return taken && serves && waiting.add(merge);
  }

  /**
   * Waits for the turn and takes it.
   *
   * @param served true if others may leave their merges behind, see {@link #next}
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
    taken = !waiting.isEmpty();
    notifyAll();
    return Optional.ofNullable(waiting.poll());
  }

  /** Takes a merge back; false if it does not wait, as it runs or has run. */
  synchronized boolean withdraw(T merge) {
    return waiting.remove(merge);
  }
}
