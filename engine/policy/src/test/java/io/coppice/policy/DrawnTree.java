// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A tree as drawn in a script, before any host has built it. Keys are words of small letters in
 * their usual order.
 *
 * @param rule the merge rule the drawing is meant for
 * @param levels level 0 first, never empty; in each level the runs newest first
 * @param jobs plans under way
 * @param requests what reads asked for: groups, under FREE slices by {@link DrawnTable#slice}
 */
public record DrawnTree(
    MergeRule rule, List<List<DrawnRun>> levels, List<DrawnJob> jobs, Set<Long> requests) {

  /**
   * A run.
   *
   * @param name unique; its place, such as {@code L1.0}, where the drawing gives none
   * @param sources names of the runs that feed it; empty for a complete run
   * @param segments by ascending key
   */
  public record DrawnRun(String name, Set<String> sources, List<DrawnSegment> segments) {

    /** What its segments hold, by ascending key, in a segment newest first. */
    public List<DrawnTable> tables() {
      return segments.stream().flatMap(segment -> segment.slices.stream()).toList();
    }
  }

  /**
   * A segment.
   *
   * @param group its group, 0 for one that no delay made
   * @param parents tables on the group's list
   * @param slices newest first, never empty
   */
  public record DrawnSegment(long group, int parents, List<DrawnTable> slices) {

    public String low() {
      return slices.stream().map(DrawnTable::low).min(String::compareTo).orElseThrow();
    }

    public String high() {
      return slices.stream().map(DrawnTable::high).max(String::compareTo).orElseThrow();
    }
  }

  /**
   * A table, or a slice of one.
   *
   * @param number its name without the {@code t}; larger is younger
   * @param part tells slices of one table apart; 0 for a table that is drawn once
   * @param low its smallest key, inclusive
   * @param high its largest key, inclusive
   * @param tableBytes bytes of the whole table
   * @param deletions true if it holds nothing but deletions
   * @param hiddenBytes bytes of the older entries that the deletions hide
   * @param claimed true while a plan under way uses it
   */
  public record DrawnTable(
      long number,
      int part,
      String low,
      String high,
      long bytes,
      long tableBytes,
      boolean deletions,
      long hiddenBytes,
      boolean claimed) {

    private static final long PARTS = 1_000_000;
    private static final int ENTRY_BYTES = 128;

    /** Entries of the table or slice. */
    public long entries() {
      return bytes / ENTRY_BYTES;
    }

    /** Deletions among the entries. */
    public long tombstones() {
      return deletions ? entries() : 0;
    }

    /** Older entries that the deletions hide. */
    public long hidden() {
      return hiddenBytes / ENTRY_BYTES;
    }

    /** An identity of the slice that no other drawn slice has; the number if it is drawn once. */
    public long slice() {
      return part * PARTS + number;
    }

    /** The name of the slice with such an identity: {@code t8} or {@code t8.1}. */
    public static String name(long slice) {
      return "t" + slice % PARTS + (slice < PARTS ? "" : "." + slice / PARTS);
    }
  }

  /**
   * A plan under way.
   *
   * @param run the name of the run its outputs join; empty for one that does not exist yet
   */
  public record DrawnJob(int level, String run, String low, String high) {}

  /** Every key the drawing names, in order; the place in it can serve as rank. */
  public List<String> keys() {
    Set<String> keys = new TreeSet<>();
    for (List<DrawnRun> runs : levels) {
      for (DrawnRun run : runs) {
        for (DrawnTable table : run.tables()) {
          keys.add(table.low);
          keys.add(table.high);
        }
      }
    }
    for (DrawnJob job : jobs) {
      keys.add(job.low);
      keys.add(job.high);
    }
    return List.copyOf(keys);
  }

  /** True if runs are in the making or jobs are under way, which not every host can stage. */
  public boolean halfMerged() {
    return !jobs.isEmpty()
        || levels.stream()
            .flatMap(List::stream)
            .anyMatch(run -> !run.sources.isEmpty() || run.segments.isEmpty());
  }

  /**
   * True if segments are virtual, slices show a part of their table, or reads ask for merges, which
   * not every host can stage.
   */
  public boolean virtual() {
    return !requests.isEmpty() || cut();
  }

  /** True if segments are virtual or slices show a part of their table. */
  public boolean cut() {
    return levels.stream()
        .flatMap(List::stream)
        .flatMap(run -> run.segments.stream())
        .anyMatch(
            segment ->
                segment.group != 0 || segment.slices.stream().anyMatch(slice -> slice.part != 0));
  }

  /** True if some table is claimed. */
  public boolean claimed() {
    return levels.stream()
        .flatMap(List::stream)
        .flatMap(run -> run.tables().stream())
        .anyMatch(DrawnTable::claimed);
  }
}
