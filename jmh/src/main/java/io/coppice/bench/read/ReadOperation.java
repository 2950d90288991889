// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

/** Operation that a client repeats with uniformly drawn keys. */
enum ReadOperation {
  /** Looks up a present key. */
  HIT(0),
  /** Looks up an absent key between two present ones. */
  MISS(0),
  /** Opens a cursor and seeks a present key. */
  SEEK(0),
  /** Seeks a present key and takes ten steps. */
  SEEK10(10),
  /** Seeks a present key and takes fifty steps. */
  SEEK50(50),
  /** Seeks a present key and takes fifty steps backwards. */
  PREV50(50);

  private final int steps;

  ReadOperation(int steps) {
    this.steps = steps;
  }

  boolean seeks() {
    return this == SEEK || steps > 0;
  }

  boolean backwards() {
    return this == PREV50;
  }

  int steps() {
    return steps;
  }
}
