// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What plans bring into each level, and how many runs a lookup meets there. One simulation's. */
final class LevelTally implements Simulation.Observer {

  /** One level's. Runs of a virtual segment are its slices, as in {@link Report}. */
  private static final class Level {
    final Map<String, Report.Cause> causes = new LinkedHashMap<>();
    double runsSum;
    int runsMost;
  }

  private final Simulation.Observer next;
  private final long plansFrom;
  private final long runsFrom;
  private final List<Level> levels = new ArrayList<>();
  private long written;
  private long skipped;
  private long rests;

  /**
   * A tally.
   *
   * @param next is told the same
   * @param plansFrom entries the user has written when plans begin to count
   * @param runsFrom entries the user has written when runs begin to count
   */
  LevelTally(Simulation.Observer next, long plansFrom, long runsFrom) {
    this.next = next;
    this.plansFrom = plansFrom;
    this.runsFrom = runsFrom;
  }

  @Override
  public void decided(Shape shape, Plan plan) {
    next.decided(shape, plan);
  }

  @Override
  public void applied(Plan plan, SimulatedStore.Effect effect) {
    next.applied(plan, effect);
    if (written >= plansFrom && plan instanceof Plan.Placing placing) {
      Report.Cause cause = Measures.cause(plan, effect);
      level(placing.target().level())
          .causes
          .merge(cause.kind() + " " + cause.code(), cause, Report.Cause::plus);
    }
  }

  @Override
  public void rested(Model<?> model, SimulatedStore<?> store) {
    next.rested(model, store);
    if (written < plansFrom) {
      skipped = model.userEntries();
    }
    written = model.userEntries();
    if (written < runsFrom) {
      return;
    }
    rests++;
    for (int level = 0; level < store.levels().size(); level++) {
      Level tally = level(level);
      int runs = 0;
      for (Run<?> run : store.levels().get(level)) {
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

  /** The number of levels ever used. */
  int levels() {
    return levels.size();
  }

  /** Entries that the user wrote while plans counted. */
  long countedEntries() {
    return written - skipped;
  }

  /** What was brought into a level, by kind and code; empty for a level never used. */
  Map<String, Report.Cause> causes(int level) {
    return level < levels.size() ? levels.get(level).causes : Map.of();
  }

  /** Runs over a key in a level, mean. */
  double runs(int level) {
    return level < levels.size() && rests > 0 ? levels.get(level).runsSum / rests : 0;
  }

  /** Runs over a key in a level, the most. */
  int mostRuns(int level) {
    return level < levels.size() ? levels.get(level).runsMost : 0;
  }
}
