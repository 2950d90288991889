// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.simulator.keys.ContentModel;
import java.util.Collection;

/** Table on disk, which exists as long as it has slices. */
final class SimulatedTable<C> {

  final long number;
  final C content;
  final int low;
  final int high;
  final long bytes;

  /** Whether some entry is a deletion, even if the rounded number of deletions of a slice is 0. */
  final boolean deletes;

  /** Numbers of the oldest and youngest flush whose entries the table may hold. */
  final long oldestFlush;

  final long youngestFlush;

  /** Number of slices that show the table; at 0 its bytes are freed. */
  int slices;

  /**
   * Creates a table that a flush or a merge writes.
   *
   * @param sources tables that the merge reads; empty for a flush
   */
  SimulatedTable(
      long number, C content, Collection<SimulatedTable<C>> sources, ContentModel<C> model) {
    this.number = number;
    this.content = content;
    long oldest = sources.isEmpty() ? number : Long.MAX_VALUE;
    long youngest = sources.isEmpty() ? number : 0;
    for (SimulatedTable<C> source : sources) {
      oldest = Math.min(oldest, source.oldestFlush);
      youngest = Math.max(youngest, source.youngestFlush);
    }
    oldestFlush = oldest;
    youngestFlush = youngest;
    low = model.low(content);
    high = model.high(content);
    bytes = model.bytes(content);
    deletes = model.deletions(content) > 0;
  }
}
