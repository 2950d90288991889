// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.SegmentFacts;
import java.util.ArrayList;
import java.util.List;

/** Shows the contents of simulated stores to the tests of other packages. */
public final class StoreContents {

  /** Table, which several slices may show. */
  public record Table(long number, int low, int high, long bytes) {}

  /** Slice with its place, its window of ranks and its content. */
  public record Slice<C>(
      int level,
      int run,
      SegmentFacts segment,
      int low,
      int high,
      long entries,
      C content,
      Table table) {}

  private StoreContents() {}

  /** Returns all slices, newest first. */
  public static <C> List<Slice<C>> slices(SimulatedStore<C> store) {
    List<Slice<C>> slices = new ArrayList<>();
    for (int level = 0; level < store.levels().size(); level++) {
      List<SimulatedRun<C>> runs = store.levels().get(level);
      for (int run = 0; run < runs.size(); run++) {
        for (SimulatedSegment<C> segment : runs.get(run).segments()) {
          for (SimulatedSlice<C> slice : segment.slices()) {
            slices.add(shown(level, run, segment.facts(), slice));
          }
        }
      }
    }
    return slices;
  }

  private static <C> Slice<C> shown(
      int level, int run, SegmentFacts segment, SimulatedSlice<C> slice) {
    SimulatedTable<C> table = slice.table;
    return new Slice<>(
        level,
        run,
        segment,
        slice.low(),
        slice.high(),
        slice.facts.entries(),
        slice.content,
        new Table(table.number, table.low, table.high, table.bytes));
  }

  /** Returns the number of tables that a lookup of this rank reads. */
  public static int checkedTables(SimulatedStore<?> store, int rank) {
    return store.checkedTables(rank);
  }
}
