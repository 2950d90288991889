// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * Lets the merges of a table that go on to their end under a limit of space go one after the other,
 * without keeping a thread waiting for each: who finds the turn taken leaves its merge behind, and
 * who has the turn carries it out after its own. Thread-safe.
 */
final class Turns<T> {

  private final Queue<T> waiting = new ArrayDeque<>();
  private boolean taken;

  /** Takes the turn; if somebody has it, leaves the merge to them and answers false. */
  synchronized boolean take(T merge) {
    if (taken) {
      waiting.add(merge);
      return false;
    }
    taken = true;
    return true;
  }

  /** The next merge for who has the turn; if there is none, the turn is free again. */
  synchronized Optional<T> next() {
    taken = !waiting.isEmpty();
    return Optional.ofNullable(waiting.poll());
  }

  /** Takes a merge back; false if it does not wait, as it runs or has run. */
  synchronized boolean withdraw(T merge) {
    return waiting.remove(merge);
  }
}
