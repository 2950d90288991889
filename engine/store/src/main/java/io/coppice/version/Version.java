// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.table.TableMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * All levels of a family at one instant. It never changes; applying an edit creates a new one.
 * Readers hold a lease, so a table's file is deleted only when no leased version names it. Safe to
 * share between threads.
 *
 * <p>Position defines recency: a smaller level, and within a level an earlier run, is newer.
 *
 * @param levels level 0 first, never empty; the last one is not empty unless it is level 0
 * @param lastFlush id of the newest run of a flush since the manifest was opened; 0 for none
 * @param mayDeleteRanges whether some table has range deletions
 */
public record Version(List<Level> levels, long lastFlush, boolean mayDeleteRanges) {

  /** Version of a new family without tables. */
  public static final Version EMPTY = new Version(List.of(Level.EMPTY));

  /**
   * Maximum number of levels of a version; at a growth of 2 from 1 MiB, 64 levels exceed any disk.
   */
  public static final int MAX_LEVELS = 64;

  /** Creates a version that no flush has changed. */
  public Version(List<Level> levels) {
    this(levels, 0);
  }

  Version(List<Level> levels, long lastFlush) {
    this(
        levels,
        lastFlush,
        levels.stream().anyMatch(level -> level.runs().stream().anyMatch(Run::mayDeleteRanges)));
  }

  /**
   * Copies the list of levels.
   *
   * @throws IllegalArgumentException if there are none or too many
   */
  public Version {
    levels = List.copyOf(levels);
    if (levels.isEmpty() || levels.size() > MAX_LEVELS) {
      throw new IllegalArgumentException(
          "a version has 1 to " + MAX_LEVELS + " levels, not " + levels.size());
    }
  }

  /**
   * Returns the version after those changes of an edit that concern levels, all of them taken as
   * changes of this family. Runs that the edit leaves empty stay. The other changes of the edit
   * concern the {@link ManifestState}.
   *
   * @throws IllegalArgumentException if the edit names unknown objects, makes segments of a run
   *     overlap, or moves a slice past one it overlaps
   */
  public Version apply(VersionEdit edit) {
    return new VersionBuilder(this, edit.ops()).build();
  }

  /**
   * Returns the version without its empty runs, except those that a running merge fills. Without
   * such runs it returns this object. Removed runs are also removed as sources. No edit records
   * this change: every reader of a log applies it after the last edit.
   *
   * @param filling ids of the runs that running merges fill
   */
  public Version withoutEmptyRuns(Collection<Long> filling) {
    Set<Long> living = new HashSet<>();
    int runs = 0;
    for (Level level : levels) {
      runs += level.runs().size();
      for (Run run : level.runs()) {
        if (!run.segments().isEmpty() || filling.contains(run.id())) {
          living.add(run.id());
        }
      }
    }
    if (living.size() == runs) {
      return this;
    }
    List<Level> settled = new ArrayList<>();
    int depth = 1;
    for (Level level : levels) {
      List<Run> kept = new ArrayList<>();
      for (Run run : level.runs()) {
        if (living.contains(run.id())) {
          kept.add(run.fedBy(living));
          depth = settled.size() + 1;
        }
      }
      settled.add(new Level(kept));
    }
    return new Version(settled.subList(0, depth), lastFlush);
  }

  /**
   * Returns whether the version includes the output of a flush, even if it was merged into other
   * runs since.
   *
   * @param flushRun id of the run that the flush wrote; 0 if none is set
   */
  public boolean includes(long flushRun) {
    return flushRun != 0 && flushRun <= lastFlush;
  }

  /** Returns the run with this id, or null. */
  public Run run(long id) {
    for (Level level : levels) {
      for (Run run : level.runs()) {
        if (run.id() == id) {
          return run;
        }
      }
    }
    return null;
  }

  /**
   * Returns the tables of all slices, each once, in no particular order. The caller owns the
   * collection.
   */
  public Collection<TableMeta> tables() {
    Map<Long, TableMeta> tables = new HashMap<>();
    forEachSlice(slice -> tables.put(slice.table().number(), slice.table()));
    return tables.values();
  }

  /** Returns the bytes of the tables of all slices, each counted once. */
  public long tableBytes() {
    long bytes = 0;
    for (TableMeta table : tables()) {
      bytes += table.bytes();
    }
    return bytes;
  }

  /** Calls the action for each slice, in the order of {@link #slices}. */
  public void forEachSlice(Consumer<Slice> action) {
    forEachRun(run -> run.segments().forEach(segment -> segment.slices().forEach(action)));
  }

  /** Calls the action for each run, newest first. */
  public void forEachRun(Consumer<Run> action) {
    levels.forEach(level -> level.runs().forEach(action));
  }

  /** Returns whether the other object is a version with equal levels. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Version that && levels.equals(that.levels);
  }

  @Override
  public int hashCode() {
    return levels.hashCode();
  }

  /** Returns all slices, newest run first and by ascending key within a run. */
  public List<Slice> slices() {
    List<Slice> slices = new ArrayList<>();
    forEachSlice(slices::add);
    return slices;
  }
}
