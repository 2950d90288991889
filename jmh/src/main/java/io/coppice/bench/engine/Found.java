// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.Arrays;

/** Compares values that are arrays. */
final class Found {

  private Found() {}

  /** True if the value is this range; false for null. */
  static boolean is(byte[] value, byte[] pool, int from, int length) {
    return value != null && Arrays.equals(value, 0, value.length, pool, from, from + length);
  }

  static byte[] copy(byte[] pool, int from, int length) {
    return Arrays.copyOfRange(pool, from, from + length);
  }
}
