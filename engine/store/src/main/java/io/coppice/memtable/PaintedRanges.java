// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.bytes.Bytes;
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
 * Range deletions as non-overlapping pieces in layers, each deletion painted over the older ones.
 * The top layer shows the newest deletion of each key; a piece keeps the pieces that it covered.
 * Painting n deletions produces fewer than 3n pieces in O(n log n) time, regardless of overlap.
 *
 * <pre>
 * older    [ 5          )[ 7       )
 * add 9          [ 9         )
 * top      [ 5   )[ 9    )[ 7      )        piece 9 keeps the covered parts of 5 and 7
 * </pre>
 *
 * <p>A lookup of the newest deletion is one binary search. A lookup of an older one descends
 * through the covered pieces. Immutable once painted.
 */
final class PaintedRanges {

  /** Painted ranges of no deletion. */
  static final PaintedRanges NONE = new PaintedRanges(new Piece[0]);

  private static final Piece[] NOTHING = {};

  /** Top layer, in key order, without overlap. */
  private final Piece[] top;

  private RangeDeletions shown;

  /**
   * Range of keys, its end exclusive, with its newest deletion.
   *
   * @param under the pieces that this one covered, in key order; they may extend beyond it
   */
  private record Piece(byte[] from, byte[] to, long sequence, Piece[] under) {
    Piece part(byte[] newFrom, byte[] newTo) {
      return new Piece(newFrom, newTo, sequence, under);
    }
  }

  private PaintedRanges(Piece[] top) {
    this.top = top;
  }

  /** Builder that paints deletions from the oldest to the newest. */
  static final class Painter {
    private final NavigableMap<byte[], Piece> pieces = new TreeMap<>(Bytes.ORDER);

    /** Adds a deletion, newer than all others. The arrays are shared and must not change. */
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

    /** Returns the painted ranges, which later additions leave unchanged. */
    PaintedRanges done() {
      return new PaintedRanges(pieces.values().toArray(Piece[]::new));
    }
  }

  /**
   * Returns the sequence number of the newest deletion of a key up to the given number, inclusive;
   * -1 if there is none.
   */
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
    // A race creates it twice; both results are equal and immutable.
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

  /** Returns the number of pieces, covered ones included. For tests of the bound. */
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
