// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.entry.RangeDeletions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The range deletions of a memtable. One thread adds; any number of threads ask meanwhile without a
 * lock. The latest few hang in a list that a lookup walks; the others are fragments, in parts that
 * each have more deletions than the next newer one, so that none is built anew more often than
 * their number doubles. Whoever first wants all of them as fragments after an addition makes them.
 */
final class RangeList {

  /** A lookup walks at most so many. */
  private static final int MAX_LATEST = 32;

  /**
   * What there is at one instant.
   *
   * @param fragments of those that were built last
   * @param built how many of them
   * @param older of which those before are fragments, or null; what it has as its latest is not
   *     looked at
   * @param latest all others, newest first, or null
   * @param count how many of them
   */
  private record State(RangeDeletions fragments, int built, State older, Node latest, int count) {}

  private record Node(byte[] from, byte[] to, long sequence, Node next) {}

  private static final State EMPTY = new State(RangeDeletions.NONE, 0, null, null, 0);

  private final AtomicReference<State> state = new AtomicReference<>(EMPTY);

  boolean isEmpty() {
    return state.get() == EMPTY;
  }

  /** Adds a deletion, newer than all others; the arrays are handed over. */
  void add(byte[] from, byte[] to, long sequence) {
    State now;
    State next;
    do {
      now = state.get();
      State old = now.count == MAX_LATEST ? build(now, 0) : now;
      Node node = new Node(from, to, sequence, old.latest);
      next = new State(old.fragments, old.built, old.older, node, old.count + 1);
      // A reader may have replaced the state by one that says the same.
    } while (!state.compareAndSet(now, next));
  }

  /** The newest deletion of the key that is not newer than this sequence number, or -1. */
  long newestCovering(byte[] key, int offset, int length, long sequence) {
    State now = state.get();
    for (Node node = now.latest; node != null; node = node.next) {
      if (node.sequence <= sequence
          && RangeDeletions.isInside(node.from, node.to, key, offset, length)) {
        return node.sequence;
      }
    }
    long newest = -1;
    for (State part = now; part != null && newest < 0; part = part.older) {
      newest = part.fragments.newestCovering(key, offset, length, sequence);
    }
    return newest;
  }

  /** All of them. */
  RangeDeletions fragments() {
    State now = state.get();
    if (now.count == 0 && now.older == null) {
      return now.fragments;
    }
    State all = build(now, Integer.MAX_VALUE);
    // If the writer has gone on meanwhile its state stands.
    state.compareAndSet(now, all);
    return all.fragments;
  }

  /**
   * Makes fragments of the latest, together with each part that has no more deletions than all
   * newer ones, or no more than this.
   */
  private static State build(State state, int most) {
    List<RangeDeletions> parts = new ArrayList<>();
    for (Node node = state.latest; node != null; node = node.next) {
      parts.add(RangeDeletions.of(node.from, node.to, node.sequence));
    }
    int built = state.count;
    State part = state;
    for (; part != null && part.built <= Math.max(most, built); part = part.older) {
      parts.add(part.fragments);
      built += part.built;
    }
    return new State(RangeDeletions.union(parts), built, part, null, 0);
  }
}
