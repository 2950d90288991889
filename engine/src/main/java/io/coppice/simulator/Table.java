// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/** A table on disk, kept there by its slices. */
final class Table<C> {

  final long number;
  final C content;
  final int low;
  final int high;
  final long bytes;

  /** Slices that show it; its bytes are free again at 0. */
  int slices;

  Table(long number, C content, Model<C> model) {
    this.number = number;
    this.content = content;
    low = model.low(content);
    high = model.high(content);
    bytes = model.bytes(content);
  }
}
