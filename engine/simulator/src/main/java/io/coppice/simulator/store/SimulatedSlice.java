// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.SliceFacts;
import io.coppice.simulator.keys.ContentModel;
import java.util.Comparator;

/**
 * Slice: a table seen through a window of ranks. Only its segment may change. Used by one thread.
 */
public final class SimulatedSlice<C> {

  /** Order by low rank, then by the slice's id; the lower id is older. */
  static final Comparator<SimulatedSlice<?>> BY_LOW =
      Comparator.<SimulatedSlice<?>>comparingInt(slice -> slice.facts.low())
          .thenComparingLong(slice -> slice.facts.slice());

  final SimulatedTable<C> table;
  final C content;
  final SliceFacts facts;

  /** Segment that contains the slice. */
  SimulatedSegment<C> home;

  private SimulatedSlice(SimulatedTable<C> table, C content, SliceFacts facts) {
    this.table = table;
    this.content = content;
    this.facts = facts;
    table.slices++;
  }

  /** Returns a slice of a whole table. */
  static <C> SimulatedSlice<C> whole(SimulatedTable<C> table, ContentModel<C> model) {
    long entries = Math.round(model.entries(table.content));
    SliceFacts facts = SliceFacts.whole(table.number, table.low, table.high, table.bytes, entries);
    return new SimulatedSlice<>(table, table.content, facts);
  }

  /** Returns a slice of the table between two ranks, both inclusive; null if it is empty. */
  static <C> SimulatedSlice<C> window(
      SimulatedTable<C> table, long id, int low, int high, ContentModel<C> model) {
    int from = Math.max(low, table.low);
    int to = Math.min(high, table.high);
    C part = from > to ? null : model.window(table.content, from, to);
    if (part == null) {
      return null;
    }
    long bytes = Math.min(model.bytes(part), table.bytes);
    long entries = Math.round(model.entries(part));
    return new SimulatedSlice<>(
        table,
        part,
        new SliceFacts(id, table.number, from, to, bytes, entries, 0, table.bytes, false));
  }

  public int low() {
    return facts.low();
  }

  public int high() {
    return facts.high();
  }
}
