// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.entry.RangeDeletions;
import io.coppice.entry.SnapshotStripes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The range deletions of a memtable. One thread adds; any number of threads ask meanwhile without a
 * lock. A lookup walks the latest few. The others are {@linkplain PaintedRanges painted}, in parts
 * that each have more deletions than the next newer one, so that none is built anew more often than
 * their number doubles. The first thread that wants all of them painted after an addition does it.
 *
 * <p>Memory grows with the number of deletions, however much they overlap.
 */
final class RangeList {

  /** A lookup walks at most so many. */
  private static final int MAX_LATEST = 32;

  /**
   * The deletions at one instant.
   *
   * @param painted those that were built last
   * @param built number of them
   * @param older the part before those, or null; its latest deletions are in a newer part
   * @param newest the newest of all deletions, or null if there is none
   * @param latest number of deletions that are in no part
   */
  private record State(PaintedRanges painted, int built, State older, Node newest, int latest) {}

  /** A deletion; the next one is older. All deletions are in this list. */
  private record Node(byte[] from, byte[] to, long sequence, Node next) {}

  /** The deletions that a sequence number sees, where there are newer ones. */
  private record View(long sequence, RangeDeletions deletions) {}

  private static final State EMPTY = new State(PaintedRanges.NONE, 0, null, null, 0);

  private final AtomicReference<State> state = new AtomicReference<>(EMPTY);

  /** The view asked for last, as cursors of one snapshot ask for the same one. */
  private volatile View view;

  boolean isEmpty() {
    return state.get() == EMPTY;
  }

  /** Adds a deletion, newer than all others; the arrays are handed over. */
  void add(byte[] from, byte[] to, long sequence) {
    State now;
    State next;
    do {
      now = state.get();
      State old = now.latest == MAX_LATEST ? build(now, 0) : now;
      Node node = new Node(from, to, sequence, old.newest);
      next = new State(old.painted, old.built, old.older, node, old.latest + 1);
      // A reader may have replaced the state by one that says the same.
    } while (!state.compareAndSet(now, next));
  }

  /** The newest deletion of the key that is not newer than this sequence number, or -1. */
  long newestCovering(byte[] key, int offset, int length, long sequence) {
    State now = state.get();
    Node node = now.newest;
    for (int i = 0; i < now.latest; i++) {
      if (node.sequence <= sequence
          && RangeDeletions.isInside(node.from, node.to, key, offset, length)) {
        return node.sequence;
      }
      node = node.next;
    }
    long newest = -1;
    for (State part = now; part != null && newest < 0; part = part.older) {
      newest = part.painted.newestCovering(key, offset, length, sequence);
    }
    return newest;
  }

  /** Returns the newest deletion of each key that is not newer than this sequence number. */
  RangeDeletions seenAt(long sequence) {
    State now = state.get();
    if (now == EMPTY) {
      return RangeDeletions.NONE;
    }
    if (now.newest.sequence <= sequence) {
      return all(now).shown();
    }
    View last = view;
    if (last == null || last.sequence != sequence) {
      Node node = now.newest;
      while (node != null && node.sequence > sequence) {
        node = node.next;
      }
      last = new View(sequence, paint(node, Integer.MAX_VALUE).shown());
      view = last;
    }
    return last.deletions;
  }

  /**
   * Returns for each key the newest deletion in each stripe of these snapshots.
   *
   * @see RangeDeletions#needed
   */
  RangeDeletions needed(long[] snapshots) {
    State now = state.get();
    SnapshotStripes stripes = new SnapshotStripes(snapshots);
    List<RangeDeletions> parts = new ArrayList<>();
    Node node = now.newest;
    while (node != null) {
      Node first = node;
      int stripe = stripes.of(first.sequence);
      int count = 0;
      for (; node != null && stripes.of(node.sequence) == stripe; node = node.next) {
        count++;
      }
      // With one stripe readers want the same.
      boolean all = first == now.newest && node == null;
      parts.add((all ? all(now) : paint(first, count)).shown());
    }
    return parts.size() == 1 ? parts.get(0) : RangeDeletions.union(parts);
  }

  private PaintedRanges all(State now) {
    if (now.latest == 0 && now.older == null) {
      return now.painted;
    }
    State all = build(now, Integer.MAX_VALUE);
    // If the writer has gone on meanwhile its state stands.
    state.compareAndSet(now, all);
    return all.painted;
  }

  /**
   * Paints the latest, together with each part that has no more deletions than all newer ones, or
   * no more than this.
   */
  private static State build(State state, int most) {
    int built = state.latest;
    State part = state;
    for (; part != null && part.built <= Math.max(most, built); part = part.older) {
      built += part.built;
    }
    return new State(paint(state.newest, built), built, part, state.newest, 0);
  }

  /** Paints a deletion and those before it, up to so many. */
  private static PaintedRanges paint(Node newest, int most) {
    List<Node> nodes = new ArrayList<>();
    for (Node node = newest; node != null && nodes.size() < most; node = node.next) {
      nodes.add(node);
    }
    PaintedRanges.Painter painter = new PaintedRanges.Painter();
    for (int i = nodes.size() - 1; i >= 0; i--) {
      painter.add(nodes.get(i).from, nodes.get(i).to, nodes.get(i).sequence);
    }
    return painter.done();
  }

  /** Returns the number of pieces in all parts. For tests of its size. */
  int pieces() {
    int pieces = 0;
    for (State part = state.get(); part != null; part = part.older) {
      pieces += part.painted.pieces();
    }
    return pieces;
  }
}
