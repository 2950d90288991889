// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.Arrays;

/**
 * Expected contents of a store: for each key the number of the write that made its value. One
 * thread writes. Other threads may read the expectation of keys that are not written or deleted at
 * that time.
 */
final class Expected {

  private static final int ABSENT = -1;

  private final int[] lastWrite;

  Expected(int keys) {
    lastWrite = new int[keys];
    Arrays.fill(lastWrite, ABSENT);
  }

  void written(int key, int write) {
    lastWrite[key] = write;
  }

  void deleted(int key) {
    lastWrite[key] = ABSENT;
  }

  int lastWrite(int key) {
    return lastWrite[key];
  }

  /** Returns the first present key from the given one on, inclusive, or -1. */
  int nextPresent(int key) {
    for (int next = key; next < lastWrite.length; next++) {
      if (lastWrite[next] != ABSENT) {
        return next;
      }
    }
    return ABSENT;
  }

  /** Returns the last present key up to the given one, inclusive, or -1. */
  int previousPresent(int key) {
    int previous = key;
    while (previous >= 0 && lastWrite[previous] == ABSENT) {
      previous--;
    }
    return previous;
  }

  int count() {
    return (int) Arrays.stream(lastWrite).filter(write -> write != ABSENT).count();
  }
}
