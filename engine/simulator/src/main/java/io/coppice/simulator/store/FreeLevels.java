// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Levels of possibly overlapping tables, as Cassandra keeps them. The runs of a level are a
 * first-fit coloring: by ascending low rank, each table joins the first run where it fits.
 */
final class FreeLevels<C> implements SimulatedLevels<C> {

  private static final long RUNS_PER_LEVEL = 1_000_000;

  private final List<TreeSet<SimulatedSlice<C>>> tables = new ArrayList<>();

  /**
   * Runs by level: the first-fit coloring of its tables (see the class). An element is null from a
   * change of the level until {@link #facts} colors it again.
   */
  private final List<List<SimulatedRun<C>>> levels = new ArrayList<>();

  private final List<LevelFacts> facts = new ArrayList<>();

  FreeLevels() {
    deepenTo(0);
  }

  @Override
  public List<List<SimulatedRun<C>>> levels() {
    facts();
    return levels;
  }

  @Override
  public List<LevelFacts> facts() {
    for (int level = 0; level < tables.size(); level++) {
      if (levels.get(level) == null) {
        List<SimulatedRun<C>> colours = coloured(level);
        levels.set(level, colours);
        facts.set(level, new LevelFacts(colours.stream().map(SimulatedRun::facts).toList()));
      }
    }
    return facts;
  }

  @Override
  public void flush(List<SimulatedSegment<C>> flushed) {
    add(run(Target.newest(0), Set.of()), flushed);
  }

  /**
   * Returns a run that only identifies the level of a target, because plans under FREE name no run.
   */
  @Override
  public SimulatedRun<C> run(Target target, Set<SimulatedRun<C>> inputs) {
    deepenTo(target.level());
    return new SimulatedRun<>(Target.NEW_RUN, target.level(), Set.of());
  }

  @Override
  public void add(SimulatedRun<C> run, List<SimulatedSegment<C>> segments) {
    for (SimulatedSegment<C> segment : segments) {
      tables.get(run.level).addAll(segment.slices());
      segment.home = run;
    }
    levels.set(run.level, null);
  }

  @Override
  public void remove(Collection<SimulatedSegment<C>> segments) {
    for (SimulatedSegment<C> segment : segments) {
      int level = segment.home.level;
      segment.slices().forEach(tables.get(level)::remove);
      levels.set(level, null);
    }
  }

  @Override
  public void shrink(SimulatedSegment<C> segment, Set<SimulatedSlice<C>> gone) {
    throw new IllegalStateException("a segment under FREE is one table");
  }

  @Override
  public void tidy() {
    // Runs are colored on demand, so there is nothing to remove.
  }

  private List<SimulatedRun<C>> coloured(int level) {
    List<List<SimulatedSegment<C>>> colours = new ArrayList<>();
    for (SimulatedSlice<C> slice : tables.get(level)) {
      int colour = 0;
      while (colour < colours.size() && last(colours.get(colour)).high() >= slice.low()) {
        colour++;
      }
      if (colour == colours.size()) {
        colours.add(new ArrayList<>());
      }
      colours.get(colour).add(slice.home);
    }
    List<SimulatedRun<C>> runs = new ArrayList<>();
    for (List<SimulatedSegment<C>> colour : colours) {
      SimulatedRun<C> run =
          new SimulatedRun<>(RUNS_PER_LEVEL * level + runs.size(), level, Set.of());
      run.add(colour);
      runs.add(run);
    }
    return runs;
  }

  private SimulatedSegment<C> last(List<SimulatedSegment<C>> segments) {
    return segments.get(segments.size() - 1);
  }

  private void deepenTo(int level) {
    while (tables.size() <= level) {
      tables.add(new TreeSet<>(SimulatedSlice.BY_LOW));
      levels.add(null);
      facts.add(null);
    }
  }
}
