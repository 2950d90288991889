// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Levels of runs in age order, as the engine keeps them: plans say which run receives their
 * outputs.
 */
final class AdjacentLevels<C> implements SimulatedLevels<C> {

  private final LongSupplier numbers;
  private final List<List<SimulatedRun<C>>> levels = new ArrayList<>();
  private final List<LevelFacts> facts = new ArrayList<>();

  AdjacentLevels(LongSupplier numbers) {
    this.numbers = numbers;
    deepenTo(0);
  }

  @Override
  public List<List<SimulatedRun<C>>> levels() {
    return levels;
  }

  @Override
  public List<LevelFacts> facts() {
    for (int level = 0; level < levels.size(); level++) {
      if (facts.get(level) == null) {
        facts.set(
            level, new LevelFacts(levels.get(level).stream().map(SimulatedRun::facts).toList()));
      }
    }
    return facts;
  }

  @Override
  public void flush(List<SimulatedSegment<C>> tables) {
    add(newRun(0, Set.of()), tables);
  }

  @Override
  public SimulatedRun<C> run(Target target, Set<SimulatedRun<C>> inputs) {
    if (target.isNew()) {
      Set<Long> sources = new HashSet<>(target.sources());
      if (sources.isEmpty()) {
        inputs.forEach(run -> sources.add(run.id));
      }
      return newRun(target.level(), sources);
    }
    for (SimulatedRun<C> run : levels.get(target.level())) {
      if (run.id == target.run()) {
        return run;
      }
    }
    throw new IllegalStateException("no run " + target.run() + " in level " + target.level());
  }

  @Override
  public void add(SimulatedRun<C> run, List<SimulatedSegment<C>> segments) {
    run.add(segments);
    facts.set(run.level, null);
  }

  @Override
  public void remove(Collection<SimulatedSegment<C>> segments) {
    Map<SimulatedRun<C>, List<SimulatedSegment<C>>> byRun = new HashMap<>();
    for (SimulatedSegment<C> segment : segments) {
      byRun.computeIfAbsent(segment.home, run -> new ArrayList<>()).add(segment);
    }
    byRun.forEach(
        (run, gone) -> {
          gone.sort(Comparator.comparingInt(SimulatedSegment::low));
          run.remove(gone);
          facts.set(run.level, null);
        });
  }

  @Override
  public void shrink(SimulatedSegment<C> segment, Set<SimulatedSlice<C>> gone) {
    segment.home.shrink(segment, gone);
    facts.set(segment.home.level, null);
  }

  /** Removes empty runs, also from the sources of others. */
  @Override
  public void tidy() {
    boolean vanished = false;
    for (int level = 0; level < levels.size(); level++) {
      if (levels.get(level).removeIf(run -> run.segments().isEmpty())) {
        facts.set(level, null);
        vanished = true;
      }
    }
    if (vanished) {
      dropDeadSources();
    }
  }

  private void dropDeadSources() {
    Set<Long> living = new HashSet<>();
    levels.forEach(runs -> runs.forEach(run -> living.add(run.id)));
    for (int level = 0; level < levels.size(); level++) {
      for (SimulatedRun<C> run : levels.get(level)) {
        if (run.keepSources(living)) {
          facts.set(level, null);
        }
      }
    }
  }

  private SimulatedRun<C> newRun(int level, Set<Long> sources) {
    deepenTo(level);
    SimulatedRun<C> run = new SimulatedRun<>(numbers.getAsLong(), level, sources);
    levels.get(level).add(0, run);
    facts.set(level, null);
    return run;
  }

  private void deepenTo(int level) {
    while (levels.size() <= level) {
      levels.add(new ArrayList<>());
      facts.add(null);
    }
  }
}
