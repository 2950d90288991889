// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

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

/** Levels of runs in age order, as the engine keeps them: plans create the runs. */
final class AdjacentLayers<C> implements Layers<C> {

  private final LongSupplier numbers;
  private final List<List<Run<C>>> levels = new ArrayList<>();
  private final List<LevelFacts> facts = new ArrayList<>();

  AdjacentLayers(LongSupplier numbers) {
    this.numbers = numbers;
    deepenTo(0);
  }

  @Override
  public List<List<Run<C>>> levels() {
    return levels;
  }

  @Override
  public List<LevelFacts> facts() {
    for (int level = 0; level < levels.size(); level++) {
      if (facts.get(level) == null) {
        facts.set(level, new LevelFacts(levels.get(level).stream().map(Run::facts).toList()));
      }
    }
    return facts;
  }

  @Override
  public void flush(List<Segment<C>> tables) {
    add(newRun(0, Set.of()), tables);
  }

  @Override
  public Run<C> run(Target target, Set<Run<C>> inputs) {
    if (target.isNew()) {
      Set<Long> sources = new HashSet<>(target.sources());
      if (sources.isEmpty()) {
        inputs.forEach(run -> sources.add(run.id));
      }
      return newRun(target.level(), sources);
    }
    for (Run<C> run : levels.get(target.level())) {
      if (run.id == target.run()) {
        return run;
      }
    }
    throw new IllegalStateException("no run " + target.run() + " in level " + target.level());
  }

  @Override
  public void add(Run<C> run, List<Segment<C>> segments) {
    run.add(segments);
    facts.set(run.level, null);
  }

  @Override
  public void remove(Collection<Segment<C>> segments) {
    Map<Run<C>, List<Segment<C>>> byRun = new HashMap<>();
    for (Segment<C> segment : segments) {
      byRun.computeIfAbsent(segment.home, run -> new ArrayList<>()).add(segment);
    }
    byRun.forEach(
        (run, gone) -> {
          gone.sort(Comparator.comparingInt(Segment::low));
          run.remove(gone);
          facts.set(run.level, null);
        });
  }

  @Override
  public void shrink(Segment<C> segment, Set<Slice<C>> gone) {
    segment.home.shrink(segment, gone);
    facts.set(segment.home.level, null);
  }

  /** Removes empty runs, also as sources of others. This is safe because no plan is in progress. */
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
      for (Run<C> run : levels.get(level)) {
        if (run.keepSources(living)) {
          facts.set(level, null);
        }
      }
    }
  }

  private Run<C> newRun(int level, Set<Long> sources) {
    deepenTo(level);
    Run<C> run = new Run<>(numbers.getAsLong(), level, sources);
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
