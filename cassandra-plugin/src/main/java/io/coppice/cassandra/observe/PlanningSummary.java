// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import io.coppice.policy.Backlog;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * The planning summary of a strategy instance for one arrangement: its backlog and its runs by
 * level.
 *
 * @param change the number of the last change of the arrangement
 * @param backlog the backlog until the instance rests, see {@code BacklogEstimator}
 * @param others the number of ongoing merges, which count beside the plans of the policy
 * @param runsPerLevel level 0 first
 * @param tablesPerLevel level 0 first
 */
public record PlanningSummary(
    long change,
    Backlog backlog,
    int others,
    List<Integer> runsPerLevel,
    List<Integer> tablesPerLevel) {

  /** The summary before the first snapshot. */
  public static final PlanningSummary NONE =
      new PlanningSummary(-1, Backlog.NONE, 0, List.of(), List.of());

  public static PlanningSummary of(long change, Shape shape, Backlog backlog, int others) {
    List<Integer> runs = new ArrayList<>();
    List<Integer> tables = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      runs.add(level.runs().size());
      tables.add(level.runs().stream().mapToInt(run -> run.segments().size()).sum());
    }
    return new PlanningSummary(change, backlog, others, List.copyOf(runs), List.copyOf(tables));
  }

  /** Returns the number of pending plans: those of the policy and the ongoing merges. */
  public int plans() {
    return backlog.plans() + others;
  }
}
