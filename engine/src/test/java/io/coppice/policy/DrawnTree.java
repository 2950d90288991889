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
 */
public record DrawnTree(MergeRule rule, List<List<DrawnRun>> levels, List<DrawnJob> jobs) {

  /**
   * A run.
   *
   * @param name unique; its place, such as {@code L1.0}, where the drawing gives none
   * @param sources names of the runs that feed it; empty for a complete run
   * @param tables by ascending key
   */
  public record DrawnRun(String name, Set<String> sources, List<DrawnTable> tables) {}

  /**
   * A table.
   *
   * @param number its name without the {@code t}; larger is younger
   * @param low its smallest key, inclusive
   * @param high its largest key, inclusive
   * @param claimed true while a plan under way uses it
   */
  public record DrawnTable(long number, String low, String high, long bytes, boolean claimed) {}

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
        for (DrawnTable table : run.tables) {
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
            .anyMatch(run -> !run.sources.isEmpty() || run.tables.isEmpty());
  }

  /** True if some table is claimed. */
  public boolean claimed() {
    return levels.stream()
        .flatMap(List::stream)
        .flatMap(run -> run.tables.stream())
        .anyMatch(DrawnTable::claimed);
  }
}
