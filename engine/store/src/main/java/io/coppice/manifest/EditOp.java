// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.table.TableMeta;
import io.coppice.table.Window;
import java.util.List;
import java.util.Set;

/**
 * One change of a catalogue. Those that name no family are of the one named last before them; an
 * edit begins in family 0. The codes are persisted; never renumber. Immutable.
 */
public sealed interface EditOp {

  /** The persisted code, 1 to 127. */
  int code();

  /**
   * A new table enters a run that exists, shown whole by a new slice.
   *
   * @param level the run's level
   * @param run the run
   * @param slice the new slice's id
   * @param table the table, already synced and named in its directory
   */
  record AddTable(int level, long run, long slice, TableMeta table) implements EditOp {
    @Override
    public int code() {
      return 1;
    }
  }

  /** A slice leaves the Version. */
  record RemoveSlice(long slice) implements EditOp {
    @Override
    public int code() {
      return 2;
    }
  }

  /**
   * A slice's window opens later: keys up to the new bound now live elsewhere.
   *
   * @param slice the slice
   * @param newLow exclusive; above the present low bound and below the slice's upper bound
   */
  record TrimSlice(long slice, byte[] newLow) implements EditOp {
    @Override
    public int code() {
      return 3;
    }
  }

  /** A slice hangs under another run that exists. No data moves. */
  record MoveSlice(long slice, int level, long run) implements EditOp {
    @Override
    public int code() {
      return 4;
    }
  }

  /**
   * A new, empty run is the newest of its level. In level 0, where flushes arrive beside plans, it
   * stands right above the newest of its sources, if one is there.
   *
   * @param level the level; levels that do not exist yet come into being
   * @param run its id, not in use
   * @param sources the runs that will feed it; may be empty
   */
  record AddRun(int level, long run, Set<Long> sources) implements EditOp {
    /** Copies the set. */
    public AddRun {
      sources = Set.copyOf(sources);
    }

    @Override
    public int code() {
      return 5;
    }
  }

  /** All numbers below this one have been given out. Never falls. */
  record NextNumber(long number) implements EditOp {
    @Override
    public int code() {
      return 6;
    }
  }

  /** No entry in any table has a larger sequence number. Never falls. */
  record LastSequence(long sequence) implements EditOp {
    @Override
    public int code() {
      return 7;
    }
  }

  /**
   * Logs with a smaller number hold nothing that is not in tables.
   *
   * @param number never falls
   * @param begun whether there is a log of this number, durably; if not, no log takes writes until
   *     a later edit names one
   */
  record WalFloor(long number, boolean begun) implements EditOp {
    @Override
    public int code() {
      return 8;
    }
  }

  /** The name of the family's key order; set once, when the family is created. */
  record KeyOrder(String name) implements EditOp {
    @Override
    public int code() {
      return 9;
    }
  }

  /** The family's compaction policy, as the text that its parser accepts. */
  record PolicyText(String text) implements EditOp {
    @Override
    public int code() {
      return 10;
    }
  }

  /**
   * Slices leave, and what they showed hangs under a run as segments of a new group: a virtual
   * compaction. No data moves. Of each table the new slices show exactly what the old ones did.
   *
   * @param level the run's level
   * @param run the run
   * @param group the group's number, given out for it
   * @param slices those that leave, each once
   * @param segments of each segment the new slices, newest first; neither list is empty
   */
  record Regroup(int level, long run, long group, List<Long> slices, List<List<Piece>> segments)
      implements EditOp {
    /** Copies the lists. */
    public Regroup {
      slices = List.copyOf(slices);
      segments = segments.stream().map(List::copyOf).toList();
    }

    @Override
    public int code() {
      return 11;
    }
  }

  /** The changes that follow are of this family, which exists. */
  record InFamily(int number) implements EditOp {
    @Override
    public int code() {
      return 12;
    }
  }

  /**
   * A new family without tables.
   *
   * @param number never given to a family before; numbers need not be without gaps
   * @param name no living family has it
   */
  record CreateFamily(int number, String name) implements EditOp {
    @Override
    public int code() {
      return 13;
    }
  }

  /** A family other than the default one goes, with all its slices. */
  record DropFamily(int number) implements EditOp {
    @Override
    public int code() {
      return 14;
    }
  }

  /** The name of the family's merge operator; set once, when the first one is used. */
  record MergeOperatorName(String name) implements EditOp {
    @Override
    public int code() {
      return 15;
    }
  }

  /**
   * Entries were dropped because they were past their end at this time, in milliseconds since 1970.
   * No earlier time may be told from then on.
   */
  record ClockFloor(long millis) implements EditOp {
    @Override
    public int code() {
      return 16;
    }
  }

  /**
   * A segment becomes two in the same run and group: its slices, with the keys up to a bound, and
   * above them new slices with the other keys. No data moves.
   *
   * @param slice one of the segment's slices
   * @param high the last key of the lower segment; both get a part of the range
   * @param above the ids of the new slices: one for each slice of the segment that reaches to both
   *     sides of the bound, in the order of the segment; the other slices keep theirs
   */
  record CutSegment(long slice, byte[] high, List<Long> above) implements EditOp {
    /** Copies the list. */
    public CutSegment {
      above = List.copyOf(above);
    }

    @Override
    public int code() {
      return 17;
    }
  }

  /**
   * A new slice of a table that is there already.
   *
   * @param slice its id
   * @param table the table's number
   * @param window what it shows
   */
  record Piece(long slice, long table, Window window) {}
}
