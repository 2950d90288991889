// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import java.util.List;
import java.util.Set;

/**
 * One change of the manifest state. A change without a family applies to the family named last
 * before it; an edit begins in family 0. Immutable.
 */
public sealed interface EditOp {

  /**
   * Adds a new table to an existing run. A new slice shows the whole table.
   *
   * @param run the id of the run
   * @param slice the new slice's id
   * @param table the table, already synced, and so is its name in the directory
   */
  record AddTable(int level, long run, long slice, TableMeta table) implements EditOp {}

  /** Removes a slice from the version. Its table goes with its last slice. */
  record RemoveSlice(long slice) implements EditOp {}

  /**
   * Raises the low bound of a slice's window: keys up to the new bound are now in other slices.
   *
   * @param slice the slice
   * @param newLow exclusive; above the present low bound and below the slice's upper bound
   */
  record TrimSlice(long slice, byte[] newLow) implements EditOp {}

  /** Moves a slice to another existing run; its file stays. */
  record MoveSlice(long slice, int level, long run) implements EditOp {}

  /**
   * Adds a new, empty run as the newest of its level. In level 0, where flushes arrive beside
   * plans, it goes directly above the newest of its sources, if one is in that level.
   *
   * @param level the level; missing levels are created
   * @param run its id, not in use
   * @param sources the runs that will feed it; may be empty
   */
  record AddRun(int level, long run, Set<Long> sources) implements EditOp {
    /** Copies the set of sources. */
    public AddRun {
      sources = Set.copyOf(sources);
    }
  }

  /**
   * Raises the next free number, which files, runs, slices and groups share: all smaller numbers
   * are or were in use. It never decreases.
   */
  record NextNumber(long number) implements EditOp {}

  /** Raises the upper bound of the sequence numbers in tables. It never decreases. */
  record LastSequence(long sequence) implements EditOp {}

  /**
   * Raises the log floor: logs with a smaller number contain only entries that are also in tables.
   *
   * @param number the floor, which never decreases
   * @param begun whether a log of this number exists durably; otherwise no log takes writes until a
   *     later edit names one
   */
  record WalFloor(long number, boolean begun) implements EditOp {}

  /** Sets the name of the family's key order, once, when the family is created. */
  record KeyOrder(String name) implements EditOp {}

  /** Sets the family's compaction policy, as text for its parser. */
  record PolicyText(String text) implements EditOp {}

  /**
   * Replaces slices by segments of a new group in a run: a virtual compaction. No data moves. The
   * new slices of a table show exactly the keys that the old ones did.
   *
   * @param level the run's level
   * @param run the run
   * @param group the group's number, new with this edit
   * @param slices the slices that leave, each once
   * @param segments the new slices of each segment, newest first; neither list is empty
   */
  record Regroup(int level, long run, long group, List<Long> slices, List<List<Piece>> segments)
      implements EditOp {
    /** Copies the lists of slices and segments. */
    public Regroup {
      slices = List.copyOf(slices);
      segments = segments.stream().map(List::copyOf).toList();
    }
  }

  /** Names the existing family that the following changes apply to. */
  record InFamily(int number) implements EditOp {}

  /**
   * Creates a family without tables.
   *
   * @param number larger than every earlier family number; gaps are allowed
   * @param name unused by living families
   */
  record CreateFamily(int number, String name) implements EditOp {}

  /** Drops a family other than the default one, with all its slices. */
  record DropFamily(int number) implements EditOp {}

  /** Sets the name of the family's merge operator, once, when the first one is used. */
  record MergeOperatorName(String name) implements EditOp {}

  /**
   * Raises the clock floor: the clock time when expired entries were dropped, in milliseconds since
   * 1970. The store must not use an earlier time afterwards.
   */
  record ClockFloor(long millis) implements EditOp {}

  /**
   * Divides a segment in two within its run and group: the lower one has the keys up to a bound,
   * the upper one has new slices with the other keys. No data moves.
   *
   * @param slice one of the segment's slices
   * @param high the last key of the lower segment; both segments get a part of the range
   * @param above the ids of the new slices, in the order of the segment: one for each slice that
   *     reaches to both sides of the bound; the other slices keep theirs
   */
  record CutSegment(long slice, byte[] high, List<Long> above) implements EditOp {
    /** Copies the list of ids. */
    public CutSegment {
      above = List.copyOf(above);
    }
  }

  /**
   * A new slice of an existing table.
   *
   * @param slice the slice's id
   * @param table the table's number
   * @param window the keys that the slice shows
   */
  record Piece(long slice, long table, KeyWindow window) {}
}
