// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.util.Arrays;

/** Adds up the entries of a store, which must come in order. */
public final class Tally {

  private byte[] last;
  private long sum;

  /** Adds the next entry. */
  public void add(byte[] key, byte[] value) {
    if (last != null && Arrays.compareUnsigned(last, key) >= 0) {
      throw new AssertionError("keys out of order");
    }
    last = key;
    sum += Hash.entry(key, value);
  }

  /** As {@link Model#contents}. */
  public long sum() {
    return sum;
  }
}
