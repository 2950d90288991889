// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.store.SimulatedRun;
import io.coppice.simulator.store.SimulatedStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tally of the bytes that plans write into each level, and of the runs per lookup there, for one
 * simulation.
 */
final class LevelTally implements Simulation.Observer {

  /**
   * Tally of one level. The runs of a virtual segment are its slices, as in {@link
   * SimulationReport}.
   */
  private static final class Level {
    final Map<String, SimulationReport.Cause> early = new LinkedHashMap<>();
    final Map<String, SimulationReport.Cause> late = new LinkedHashMap<>();
    double runsSum;
    int runsMost;
  }

  private final Simulation.Observer next;
  private final long half;
  private final List<Level> levels = new ArrayList<>();
  private long written;
  private long before;
  private long rests;

  /**
   * Creates an empty tally.
   *
   * @param next observer that receives the same events
   * @param half number of user entries after which the store counts as settled. Plans count as
   *     early before and as late from then on; runs per lookup count only from then on
   */
  LevelTally(Simulation.Observer next, long half) {
    this.next = next;
    this.half = half;
  }

  @Override
  public void decided(Shape shape, Budget budget, Plan plan) {
    next.decided(shape, budget, plan);
  }

  @Override
  public void applied(Plan plan, SimulatedStore.Effect effect) {
    next.applied(plan, effect);
    if (plan instanceof Plan.Placing placing) {
      SimulationReport.Cause cause = Measures.cause(plan, effect);
      Level level = level(placing.target().level());
      (written < half ? level.early : level.late)
          .merge(cause.kind() + " " + cause.code(), cause, SimulationReport.Cause::plus);
    }
  }

  @Override
  public void rested(ContentModel<?> model, SimulatedStore<?> store) {
    next.rested(model, store);
    if (written < half) {
      before = model.userEntries();
    }
    written = model.userEntries();
    if (written < half) {
      return;
    }
    rests++;
    for (int level = 0; level < store.levels().size(); level++) {
      Level tally = level(level);
      int runs = 0;
      for (SimulatedRun<?> run : store.levels().get(level)) {
        tally.runsSum += (double) run.covered() / model.ranks();
        runs += run.depth();
      }
      tally.runsMost = Math.max(tally.runsMost, runs);
    }
  }

  private Level level(int level) {
    while (levels.size() <= level) {
      levels.add(new Level());
    }
    return levels.get(level);
  }

  /** Returns the number of levels: one more than the deepest that any plan or run used. */
  int levels() {
    return levels.size();
  }

  /**
   * Returns the work that a load of this many entries causes in a level, one element for each kind
   * and code of plans. It is the work of the early plans plus that of the late ones, scaled to the
   * load. The list is empty for a level without plans.
   */
  List<SimulationReport.Cause> causes(int level, double entries) {
    if (level >= levels.size()) {
      return List.of();
    }
    double times = written > before ? (entries - before) / (written - before) : 0;
    Map<String, SimulationReport.Cause> causes = new LinkedHashMap<>(levels.get(level).early);
    levels
        .get(level)
        .late
        .forEach(
            (key, cause) ->
                causes.merge(key, cause.times(times, times), SimulationReport.Cause::plus));
    return List.copyOf(causes.values());
  }

  /**
   * Returns the mean number of runs of a level that cover a key, over keys and over the second half
   * of the load; 0 if unknown.
   */
  double runs(int level) {
    return level < levels.size() && rests > 0 ? levels.get(level).runsSum / rests : 0;
  }

  /**
   * Returns an upper bound of the runs of a level that cover a key, the largest in the second half
   * of the load; 0 if unknown.
   */
  int maxRuns(int level) {
    return level < levels.size() ? levels.get(level).runsMost : 0;
  }
}
