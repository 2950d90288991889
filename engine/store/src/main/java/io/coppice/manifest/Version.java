// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

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
 * All levels of a family at one instant. It never changes; applying an edit makes a new one.
 * Readers hold a lease, so a table's file is deleted only when no leased Version names it. Safe to
 * share between threads.
 *
 * <p>Recency is a matter of position: a smaller level, and within a level an earlier run, is newer.
 *
 * @param levels level 0 first, never empty; the last one is not empty unless it is level 0
 * @param lastFlush the newest run that a flush brought since the manifest was opened; 0 for none
 * @param mayDeleteRanges true if a table has range deletions
 */
public record Version(List<Level> levels, long lastFlush, boolean mayDeleteRanges) {

  /** A family without tables, as it is created. */
  public static final Version EMPTY = new Version(List.of(Level.EMPTY));

  /** Deeper levels are refused; at a growth of 2 from 1 MiB, 64 levels exceed any disk. */
  public static final int MAX_LEVELS = 64;

  /** A Version in which nothing was flushed. */
  public Version(List<Level> levels) {
    this(levels, 0);
  }

  Version(List<Level> levels, long lastFlush) {
    this(
        levels,
        lastFlush,
        levels.stream().anyMatch(level -> level.runs().stream().anyMatch(Run::mayDeleteRanges)));
  }

  /** Copies the list. */
  public Version {
    levels = List.copyOf(levels);
    if (levels.isEmpty() || levels.size() > MAX_LEVELS) {
      throw new IllegalArgumentException(
          "a version has 1 to " + MAX_LEVELS + " levels, not " + levels.size());
    }
  }

  /**
   * The Version after the changes of levels in an edit of this family, with all runs that are empty
   * then. What else the edit says concerns the {@link Catalogue}.
   *
   * @throws IllegalArgumentException if the edit names what does not exist, makes segments of a run
   *     overlap, or moves a slice past one it overlaps; nothing has happened then
   */
  public Version apply(VersionEdit edit) {
    return new VersionDraft(this, edit.ops()).build();
  }

  /**
   * The Version without the empty runs into which nothing more comes, which feed no other then. No
   * edit tells of that: every reader of a log does so behind its last edit.
   *
   * @param filling ids of the runs that merges under way fill
   */
  Version settled(Collection<Long> filling) {
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
   * True if what a flush wrote as this run is in the Version, though perhaps merged into others
   * since.
   *
   * @param flushRun 0 if nothing was written
   */
  public boolean includes(long flushRun) {
    return flushRun != 0 && flushRun <= lastFlush;
  }

  /** The run with this id, or null. */
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

  /** The tables behind all slices, each once, in no order. */
  public Collection<TableMeta> tables() {
    Map<Long, TableMeta> tables = new HashMap<>();
    forEachSlice(slice -> tables.put(slice.table().number(), slice.table()));
    return tables.values();
  }

  /** Bytes of the tables behind all slices, each counted once. */
  public long tableBytes() {
    long bytes = 0;
    for (TableMeta table : tables()) {
      bytes += table.bytes();
    }
    return bytes;
  }

  /** Calls for each slice, in the order of {@link #slices}. */
  public void forEachSlice(Consumer<Slice> action) {
    forEachRun(run -> run.segments().forEach(segment -> segment.slices().forEach(action)));
  }

  /** Calls for each run, newest first. */
  public void forEachRun(Consumer<Run> action) {
    levels.forEach(level -> level.runs().forEach(action));
  }

  /** Two versions are equal if their levels are. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Version that && levels.equals(that.levels);
  }

  @Override
  public int hashCode() {
    return levels.hashCode();
  }

  /** All slices, newest run first and by ascending key within a run. */
  public List<Slice> slices() {
    List<Slice> slices = new ArrayList<>();
    forEachSlice(slices::add);
    return slices;
  }
}
