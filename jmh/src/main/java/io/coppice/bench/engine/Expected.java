// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.BitSet;

/** What a store must answer: of each key the number of the write that made its value. */
final class Expected {

  private final BitSet present;
  private final int[] lastWrite;

  Expected(int keys) {
    present = new BitSet(keys);
    lastWrite = new int[keys];
  }

  void written(int key, int write) {
    present.set(key);
    lastWrite[key] = write;
  }

  boolean isPresent(int key) {
    return present.get(key);
  }

  int lastWrite(int key) {
    return lastWrite[key];
  }

  /** The first key from this one on that is there, or -1. */
  int nextPresent(int key) {
    return present.nextSetBit(key);
  }

  int count() {
    return present.cardinality();
  }
}
