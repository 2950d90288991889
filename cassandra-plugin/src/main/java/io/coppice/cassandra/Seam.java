// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayList;
import java.util.List;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Where a merge was cut off, by a crash or by an operator, its last outputs lie over the first keys
 * of the inputs that are left: the parts of them that had been merged. Left alone they would be a
 * run of their own. Only overlaps tell, as nothing is written down; so a run counts as such outputs
 * if it has one or two SSTables over the inputs, and they end before any input ends, as every input
 * that is left reached beyond the cut. If it was something else, one or two SSTables are rewritten
 * a little early.
 */
final class Seam {

  private static final int MOST_SSTABLES = 2;

  private Seam() {}

  /** Free SSTables of the target level to be merged along; mostly none. */
  static List<SSTableReader> of(
      Inventory.Snapshot snapshot, List<SSTableReader> inputs, int level) {
    DecoratedKey first = null;
    DecoratedKey last = null;
    DecoratedKey soonest = null;
    for (SSTableReader input : inputs) {
      first = first == null || input.getFirst().compareTo(first) < 0 ? input.getFirst() : first;
      last = last == null || input.getLast().compareTo(last) > 0 ? input.getLast() : last;
      soonest =
          soonest == null || input.getLast().compareTo(soonest) < 0 ? input.getLast() : soonest;
    }
    List<Outline<DecoratedKey>> target =
        snapshot.outlines().stream().filter(outline -> outline.level() == level).toList();
    List<SSTableReader> seam = new ArrayList<>();
    for (List<Outline<DecoratedKey>> run : ShapeBuilder.colour(target)) {
      List<SSTableReader> over = over(snapshot, run, first, last, soonest);
      if (over.stream().noneMatch(inputs::contains)) {
        seam.addAll(over);
      }
    }
    return seam;
  }

  /** What of a run lies over the inputs, if that looks like the end of a chain; else nothing. */
  private static List<SSTableReader> over(
      Inventory.Snapshot snapshot,
      List<Outline<DecoratedKey>> run,
      DecoratedKey first,
      DecoratedKey last,
      DecoratedKey soonest) {
    List<SSTableReader> over = new ArrayList<>();
    for (Outline<DecoratedKey> outline : run) {
      if (outline.last().compareTo(first) < 0 || outline.first().compareTo(last) > 0) {
        continue;
      }
      SSTableReader reader = snapshot.free().get(outline.id());
      if (reader == null
          || outline.last().compareTo(soonest) >= 0
          || over.size() == MOST_SSTABLES) {
        return List.of();
      }
      over.add(reader);
    }
    return over;
  }
}
