// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Bytes;
import io.coppice.entry.RangeDeletions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Range deletions, each painted over the older ones. The top layer shows the newest deletion of
 * each key; a piece keeps the pieces that it covered. n deletions make fewer than 3n pieces,
 * however much they overlap, in O(n log n) time.
 *
 * <p>A lookup for the newest deletion of all is one binary search. A lookup for an older one
 * descends through the pieces that cover it. Immutable, once painted.
 */
final class PaintedRanges {

  /** No deletion. */
  static final PaintedRanges NONE = new PaintedRanges(new Piece[0]);

  private static final Piece[] NOTHING = {};

  /** In order of key, without overlap. */
  private final Piece[] top;

  private RangeDeletions shown;

  /**
   * A stretch of keys and its newest deletion.
   *
   * @param under the pieces that this one covered, in order of key; they may reach beyond it
   */
  private record Piece(byte[] from, byte[] to, long sequence, Piece[] under) {
    Piece part(byte[] newFrom, byte[] newTo) {
      return new Piece(newFrom, newTo, sequence, under);
    }
  }

  private PaintedRanges(Piece[] top) {
    this.top = top;
  }

  /** Paints deletions, which are added from the oldest to the newest. */
  static final class Painter {
    private final NavigableMap<byte[], Piece> pieces = new TreeMap<>(Bytes.ORDER);

    /** Adds a deletion, newer than all others; the arrays are handed over. */
    void add(byte[] from, byte[] to, long sequence) {
      Map.Entry<byte[], Piece> before = pieces.lowerEntry(from);
      if (before != null && Bytes.compare(before.getValue().to, from) > 0) {
        Piece cut = before.getValue();
        pieces.put(cut.from, cut.part(cut.from, from));
        pieces.put(from, cut.part(from, cut.to));
      }
      List<Piece> covered = new ArrayList<>(pieces.subMap(from, true, to, false).values());
      for (Piece piece : covered) {
        pieces.remove(piece.from);
        if (Bytes.compare(piece.to, to) > 0) {
          pieces.put(to, piece.part(to, piece.to));
        }
      }
      Piece[] under = covered.isEmpty() ? NOTHING : covered.toArray(Piece[]::new);
      pieces.put(from, new Piece(from, to, sequence, under));
    }

    /** Returns what was painted. */
    PaintedRanges done() {
      return new PaintedRanges(pieces.values().toArray(Piece[]::new));
    }
  }

  /** Returns the newest deletion of the key that is not newer than this sequence number, or -1. */
  long newestCovering(byte[] key, int offset, int length, long sequence) {
    Piece piece = find(top, key, offset, length);
    while (piece != null && piece.sequence > sequence) {
      piece = find(piece.under, key, offset, length);
    }
    return piece == null ? -1 : piece.sequence;
  }

  private static Piece find(Piece[] pieces, byte[] key, int offset, int length) {
    int low = 0;
    int high = pieces.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] to = pieces[middle].to;
      if (Arrays.compareUnsigned(to, 0, to.length, key, offset, offset + length) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < pieces.length
            && RangeDeletions.isInside(pieces[low].from, pieces[low].to, key, offset, length)
        ? pieces[low]
        : null;
  }

  /** Returns the newest deletion of each key. */
  RangeDeletions shown() {
    // A race makes it twice; both are equal, and immutable.
    RangeDeletions made = shown;
    if (made == null) {
      List<RangeDeletions.Fragment> fragments = new ArrayList<>(top.length);
      for (Piece piece : top) {
        fragments.add(
            new RangeDeletions.Fragment(piece.from, piece.to, new long[] {piece.sequence}));
      }
      made = RangeDeletions.ofOrdered(fragments);
      shown = made;
    }
    return made;
  }

  /** Returns the number of pieces, those that are covered included. For tests of its size. */
  int pieces() {
    int count = 0;
    List<Piece[]> left = new ArrayList<>();
    left.add(top);
    Set<Piece[]> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    while (!left.isEmpty()) {
      Piece[] next = left.remove(left.size() - 1);
      if (seen.add(next)) {
        count += next.length;
        for (Piece piece : next) {
          left.add(piece.under);
        }
      }
    }
    return count;
  }
}
