// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.simulator.keys.ContentModel;

/** Table on disk, which exists as long as it has slices. */
final class SimulatedTable<C> {

  final long number;
  final C content;
  final int low;
  final int high;
  final long bytes;

  /** Number of slices that show the table; at 0 its bytes are freed. */
  int slices;

  SimulatedTable(long number, C content, ContentModel<C> model) {
    this.number = number;
    this.content = content;
    low = model.low(content);
    high = model.high(content);
    bytes = model.bytes(content);
  }
}
