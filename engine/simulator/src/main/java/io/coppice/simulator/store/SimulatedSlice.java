// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.SliceFacts;
import io.coppice.policy.step.Rounds;
import io.coppice.simulator.keys.ContentModel;
import java.util.Comparator;

/**
 * Slice: a table seen through a window of ranks. Only its segment may change. Used by one thread.
 */
public final class SimulatedSlice<C> implements Rounds.Sized<Integer> {

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
    SliceFacts facts =
        facts(table, table.number, table.low, table.high, table.bytes, table.content, model);
    return new SimulatedSlice<>(table, table.content, facts);
  }

  /**
   * Returns the facts of a slice for policies, with entries rounded to whole numbers. The slice is
   * unclaimed and has no expired values.
   */
  private static <C> SliceFacts facts(
      SimulatedTable<C> table,
      long id,
      int low,
      int high,
      long bytes,
      C content,
      ContentModel<C> model) {
    long entries = Math.round(model.entries(content));
    long deletions = Math.round(model.deletions(content));
    long hidden = Math.round(model.hidden(content));
    return new SliceFacts(
        id, table.number, low, high, bytes, entries, deletions, table.bytes, false, 0, hidden);
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
    return new SimulatedSlice<>(table, part, facts(table, id, from, to, bytes, part, model));
  }

  @Override
  public Integer first() {
    return low();
  }

  @Override
  public Integer last() {
    return high();
  }

  @Override
  public long bytes() {
    return facts.bytes();
  }

  public int low() {
    return facts.low();
  }

  public int high() {
    return facts.high();
  }
}
