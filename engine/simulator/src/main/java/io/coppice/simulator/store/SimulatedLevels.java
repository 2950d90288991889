// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.Target;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Levels of a simulated store, with one implementation per merge rule. */
interface SimulatedLevels<C> {

  /** Returns the levels from level 0 on, each with its newest run first. */
  List<List<SimulatedRun<C>>> levels();

  /** Returns the levels as policies see them, level 0 first. */
  List<LevelFacts> facts();

  /** Adds the tables of a flush, given by ascending rank, as the newest run of level 0. */
  void flush(List<SimulatedSegment<C>> tables);

  /**
   * Returns the run of a target, and creates it if the target is a new run. Under FREE, where plans
   * name no run, it returns a placeholder for the level. The sources of a new run are those of the
   * target, or the runs of the inputs if the target has none.
   *
   * @throws IllegalStateException if the level has no such run
   */
  SimulatedRun<C> run(Target target, Set<SimulatedRun<C>> inputs);

  /**
   * Adds segments to a run.
   *
   * @param segments by ascending rank
   */
  void add(SimulatedRun<C> run, List<SimulatedSegment<C>> segments);

  /** Removes segments from their runs. */
  void remove(Collection<SimulatedSegment<C>> segments);

  /**
   * Removes slices from a segment that keeps at least one other.
   *
   * @throws IllegalStateException under FREE, where a segment is one table
   */
  void shrink(SimulatedSegment<C> segment, Set<SimulatedSlice<C>> gone);

  /** Removes runs without content; called at the end of each plan. */
  void tidy();
}
