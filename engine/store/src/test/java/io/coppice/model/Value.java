// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

/**
 * A value in short: its bytes follow from a seed.
 *
 * @param seed tells values of one size apart; a negative one repeats eight bytes, which compress
 * @param size in bytes
 */
public record Value(long seed, int size) {

  /** The bytes, new each time. */
  public byte[] bytes() {
    byte[] bytes = new byte[size];
    long state = seed;
    for (int i = 0; i < size; i += Long.BYTES) {
      state = seed < 0 && i > 0 ? state : Hash.mix(state, size);
      long word = state;
      for (int j = i; j < Math.min(size, i + Long.BYTES); j++, word >>>= Byte.SIZE) {
        bytes[j] = (byte) word;
      }
    }
    return bytes;
  }

  static Value parse(String text) {
    int x = text.indexOf('x');
    return new Value(Long.parseLong(text.substring(0, x)), Integer.parseInt(text.substring(x + 1)));
  }

  @Override
  public String toString() {
    return seed + "x" + size;
  }
}
