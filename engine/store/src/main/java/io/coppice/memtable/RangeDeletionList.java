// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.entry.RangeDeletions;
import io.coppice.entry.SnapshotStripes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Range deletions of a memtable. One thread adds; any number of threads query concurrently without
 * a lock. A lookup scans the latest few deletions. The others are {@linkplain PaintedRanges
 * painted} in parts, each with more deletions than the next newer one, so each deletion is
 * repainted only when their number doubles. The first thread that needs all of them painted after
 * an addition paints them.
 *
 * <p>Memory grows with the number of deletions, regardless of their overlap.
 */
final class RangeDeletionList {

  /** Maximum number of deletions that a lookup scans one by one; the next addition paints them. */
  private static final int MAX_LATEST = 32;

  /**
   * Deletions at one instant.
   *
   * @param painted the newest painted part
   * @param built number of deletions in it
   * @param older the part before, or null; its latest deletions are in a newer part
   * @param newest the newest of all deletions, or null if there is none
   * @param latest number of deletions in no part
   */
  private record State(PaintedRanges painted, int built, State older, Node newest, int latest) {}

  /**
   * List node of a deletion, its end exclusive; the next one is older. All deletions are in this
   * list.
   */
  private record Node(byte[] from, byte[] to, long sequence, Node next) {}

  /** Newest deletion of each key as of a sequence number. */
  private record View(long sequence, RangeDeletions deletions) {}

  private static final State EMPTY = new State(PaintedRanges.NONE, 0, null, null, 0);

  private final AtomicReference<State> state = new AtomicReference<>(EMPTY);

  /** Last requested view, because cursors of one snapshot request the same one. */
  private volatile View view;

  boolean isEmpty() {
    return state.get() == EMPTY;
  }

  /** Adds a deletion, newer than all others. The arrays are shared and must not change. */
  void add(byte[] from, byte[] to, long sequence) {
    State now;
    State next;
    do {
      now = state.get();
      State old = now.latest == MAX_LATEST ? build(now, 0) : now;
      Node node = new Node(from, to, sequence, old.newest);
      next = new State(old.painted, old.built, old.older, node, old.latest + 1);
      // A reader may have replaced the state by an equivalent one.
    } while (!state.compareAndSet(now, next));
  }

  /**
   * Returns the sequence number of the newest deletion of a key up to the given number, inclusive;
   * -1 if there is none.
   */
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

  /** Returns the newest deletion of each key up to this sequence number. */
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
   * Returns, for each key, the newest deletion in each stripe of these snapshots: the sequence
   * numbers between two neighboring snapshots.
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
      // With a single stripe, readers need the same ranges.
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
    // If the writer has added a deletion since, its state stays.
    state.compareAndSet(now, all);
    return all.painted;
  }

  /**
   * Paints the latest deletions, and returns the state with them. Repaints with them each part that
   * has at most as many deletions as all newer ones, or at most {@code most}.
   */
  private static State build(State state, int most) {
    int built = state.latest;
    State part = state;
    for (; part != null && part.built <= Math.max(most, built); part = part.older) {
      built += part.built;
    }
    return new State(paint(state.newest, built), built, part, state.newest, 0);
  }

  /** Returns the painted ranges of a deletion and of older ones, {@code most} in all. */
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

  /** Returns the number of pieces in all parts. For tests of the bound. */
  int pieces() {
    int pieces = 0;
    for (State part = state.get(); part != null; part = part.older) {
      pieces += part.painted.pieces();
    }
    return pieces;
  }
}
