// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

/** Operation that a client repeats with uniformly drawn keys. */
enum ReadOperation {
  /** Looks up a key that is there. */
  HIT(0),
  /** Looks up a key between two that are there. */
  MISS(0),
  /** Opens a cursor and seeks a key that is there. */
  SEEK(0),
  /** The same and ten steps. */
  SEEK10(10),
  /** The same and fifty steps. */
  SEEK50(50),
  /** The same, with the steps backwards. */
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
