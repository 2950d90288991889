// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.entry.RangeDeletions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The range deletions of a memtable. One thread adds; any number of threads ask meanwhile without a
 * lock. The latest few hang in a list that a lookup walks; the others are fragments. Whoever first
 * wants all of them as fragments after an addition makes them.
 */
final class RangeList {

  /** A lookup walks at most so many. */
  private static final int MAX_LATEST = 32;

  /**
   * What there is at one instant.
   *
   * @param fragments of the older ones
   * @param latest the others, newest first, or null
   * @param count how many of them
   */
  private record State(RangeDeletions fragments, Node latest, int count) {}

  private record Node(byte[] from, byte[] to, long sequence, Node next) {}

  private static final State EMPTY = new State(RangeDeletions.NONE, null, 0);

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
      boolean full = now.count == MAX_LATEST;
      RangeDeletions fragments = full ? fragments(now) : now.fragments;
      Node others = full ? null : now.latest;
      next = new State(fragments, new Node(from, to, sequence, others), full ? 1 : now.count + 1);
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
    return now.fragments.newestCovering(key, offset, length, sequence);
  }

  /** All of them. */
  RangeDeletions fragments() {
    State now = state.get();
    if (now.count == 0) {
      return now.fragments;
    }
    RangeDeletions all = fragments(now);
    // If the writer has gone on meanwhile its state stands.
    state.compareAndSet(now, new State(all, null, 0));
    return all;
  }

  private static RangeDeletions fragments(State state) {
    List<RangeDeletions> parts = new ArrayList<>();
    parts.add(state.fragments);
    for (Node node = state.latest; node != null; node = node.next) {
      parts.add(RangeDeletions.of(node.from, node.to, node.sequence));
    }
    return RangeDeletions.union(parts);
  }
}
