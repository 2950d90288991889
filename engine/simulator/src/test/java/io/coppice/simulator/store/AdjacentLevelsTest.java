// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.Target;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.keys.OlderRanks;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The simulator keeps runs in the making as the engine does, see {@code VersionTest}. */
class AdjacentLevelsTest {

  private final AtomicLong numbers = new AtomicLong();
  private final AdjacentLevels<int[]> layers = new AdjacentLevels<>(numbers::incrementAndGet);

  /** Of the lowest and the highest key. */
  private SimulatedSegment<int[]> table(int low, int high) {
    ContentModel<int[]> model = new Bounds();
    SimulatedTable<int[]> table =
        new SimulatedTable<>(numbers.incrementAndGet(), new int[] {low, high}, Set.of(), model);
    return SimulatedSegment.of(SimulatedSlice.whole(table, model));
  }

  /** Moves segments to a new run and lets go of what is used up. */
  private SimulatedRun<int[]> move(int level, Set<Long> sources, SimulatedSegment<int[]> segment) {
    SimulatedRun<int[]> run = layers.run(Target.newest(level, sources), Set.of(segment.home));
    layers.remove(List.of(segment));
    layers.add(run, List.of(segment));
    layers.tidy();
    return run;
  }

  @Test
  void anEmptyRunVanishesAlthoughItIsFed() {
    SimulatedSegment<int[]> rests = table(0, 9);
    SimulatedSegment<int[]> goesOn = table(10, 19);
    layers.flush(List.of(rests, goesOn));
    SimulatedRun<int[]> flushed = rests.home;

    SimulatedRun<int[]> first = move(1, Set.of(flushed.id), goesOn);
    assertThat(first.sources()).containsExactly(flushed.id);

    SimulatedRun<int[]> second = move(2, Set.of(first.id), goesOn);
    assertThat(layers.levels()).containsExactly(List.of(flushed), List.of(), List.of(second));
    assertThat(second.sources()).isEmpty();
    assertThat(layers.facts().get(1).runs()).isEmpty();
  }

  /** Contents of which only the bounds are known. */
  private static final class Bounds implements ContentModel<int[]> {

    @Override
    public List<int[]> flush() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long ranks() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long userEntries() {
      throw new UnsupportedOperationException();
    }

    @Override
    public double liveEntries() {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<int[]> merge(List<int[]> newestFirst, OlderRanks older) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int[] union(List<int[]> newestFirst, OlderRanks older) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int[] window(int[] content, int low, int high) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int low(int[] content) {
      return content[0];
    }

    @Override
    public int high(int[] content) {
      return content[1];
    }

    @Override
    public double entries(int[] content) {
      return 1;
    }

    @Override
    public long bytes(int[] content) {
      return 1;
    }

    @Override
    public int[] cuts(List<int[]> contents, int parts) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int lookup() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean finds(int[] content, int rank) {
      throw new UnsupportedOperationException();
    }
  }
}
