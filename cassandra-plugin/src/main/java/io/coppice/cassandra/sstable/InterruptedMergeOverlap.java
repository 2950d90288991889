// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import java.util.ArrayList;
import java.util.List;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.concurrent.Ref;

/**
 * Search for the <em>seam</em> of an interrupted merge: its outputs that overlap its remaining
 * inputs.
 *
 * <p>After a crash or a stop, the last outputs of a merge overlap the first keys of the remaining
 * inputs, which those outputs already contain. Left alone they would form a run of their own. The
 * search recognizes them by overlap, age and content, because nothing records them. A run qualifies
 * if one or two of its SSTables overlap the inputs and end before any input ends; every remaining
 * input extends beyond the cut. Outputs also contain data of their inputs:
 *
 * <ul>
 *   <li>The newest data of each such SSTable is at least as recent as the oldest data of an input
 *       that it overlaps.
 *   <li>They have the first key of at least one input. Flushes and trees that only overlap the
 *       inputs rarely have it.
 * </ul>
 *
 * <p>If the guess is wrong, one or two SSTables are rewritten early, and the parts of the ring then
 * merge at different times.
 */
public final class InterruptedMergeOverlap {

  private static final int MAX_SSTABLES = 2;

  private InterruptedMergeOverlap() {}

  /**
   * Returns the seam: free SSTables of the target level that should be merged with the inputs, in
   * no particular order; mostly empty.
   *
   * @param inputs at least one
   * @param level the target level
   */
  public static List<SSTableReader> of(
      SSTableInventory.Snapshot snapshot, List<SSTableReader> inputs, int level) {
    DecoratedKey first = null;
    DecoratedKey last = null;
    DecoratedKey soonest = null;
    for (SSTableReader input : inputs) {
      first = first == null || input.getFirst().compareTo(first) < 0 ? input.getFirst() : first;
      last = last == null || input.getLast().compareTo(last) > 0 ? input.getLast() : last;
      soonest =
          soonest == null || input.getLast().compareTo(soonest) < 0 ? input.getLast() : soonest;
    }
    List<SSTableOutline<DecoratedKey>> target =
        snapshot.outlines().stream().filter(outline -> outline.level() == level).toList();
    List<SSTableReader> seam = new ArrayList<>();
    for (List<SSTableOutline<DecoratedKey>> run : ShapeBuilder.colour(target)) {
      List<SSTableReader> over = over(snapshot, run, inputs, first, last, soonest);
      if (over.stream().noneMatch(inputs::contains)) {
        seam.addAll(over);
      }
    }
    return seam;
  }

  /**
   * Returns the SSTables of a run that overlap the inputs, if they look like the outputs of an
   * interrupted merge; otherwise empty.
   */
  private static List<SSTableReader> over(
      SSTableInventory.Snapshot snapshot,
      List<SSTableOutline<DecoratedKey>> run,
      List<SSTableReader> inputs,
      DecoratedKey first,
      DecoratedKey last,
      DecoratedKey soonest) {
    List<SSTableReader> over = new ArrayList<>();
    for (SSTableOutline<DecoratedKey> outline : run) {
      if (outline.last().compareTo(first) < 0 || outline.first().compareTo(last) > 0) {
        continue;
      }
      SSTableReader reader = snapshot.free().get(outline.id());
      if (reader == null
          || outline.last().compareTo(soonest) >= 0
          || over.size() == MAX_SSTABLES
          || !mayContain(reader, inputs)) {
        return List.of();
      }
      over.add(reader);
    }
    return inputs.stream().anyMatch(input -> containFirstKey(over, input)) ? over : List.of();
  }

  /** Returns whether SSTables contain the first key of an input, as far as their filters tell. */
  private static boolean containFirstKey(List<SSTableReader> over, SSTableReader input) {
    DecoratedKey key = input.getFirst();
    return over.stream()
        .anyMatch(
            sstable ->
                sstable.getFirst().compareTo(key) <= 0
                    && key.compareTo(sstable.getLast()) <= 0
                    && mayContain(sstable, key));
  }

  /**
   * Asks the SSTable's filter for a key in its range. The planner holds no claim yet, so a
   * reference keeps the memory of the filter. Returns false if the SSTable is released already.
   */
  private static boolean mayContain(SSTableReader sstable, DecoratedKey key) {
    Ref<SSTableReader> reference = sstable.tryRef();
    if (reference == null) {
      return false;
    }
    try {
      return sstable.mayContainAssumingKeyIsInRange(key);
    } finally {
      reference.release();
    }
  }

  /** Returns whether the SSTable is recent enough to contain data of an input that it overlaps. */
  private static boolean mayContain(SSTableReader sstable, List<SSTableReader> inputs) {
    return inputs.stream()
        .filter(
            input ->
                input.getFirst().compareTo(sstable.getLast()) <= 0
                    && input.getLast().compareTo(sstable.getFirst()) >= 0)
        .anyMatch(input -> input.getMinTimestamp() <= sstable.getMaxTimestamp());
  }
}
