// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

/**
 * Keys of {@code db_bench}: the number as eight bytes, big-endian, padded with the digit zero to
 * {@value #BYTES} bytes. A key that is never written differs in its last byte.
 */
public final class BenchmarkKeys {

  /** Length of every key in bytes. */
  public static final int BYTES = 16;

  private static final byte FILLER = '0';

  private BenchmarkKeys() {}

  /** Writes key number {@code index} into the first {@value #BYTES} bytes of the array. */
  public static void write(byte[] key, long index) {
    for (int i = 0; i < Long.BYTES; i++) {
      key[i] = (byte) (index >>> (56 - 8 * i));
    }
    for (int i = Long.BYTES; i < BYTES; i++) {
      key[i] = FILLER;
    }
  }

  /** Writes a key that directly follows that of {@link #write} and is never stored. */
  public static void writeMissing(byte[] key, long index) {
    write(key, index);
    key[BYTES - 1] = FILLER + 1;
  }

  /**
   * Returns the number of a key that {@link #write} made.
   *
   * @param from index in the array where the key begins
   */
  public static long index(byte[] key, int from) {
    long index = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      index = index << 8 | (key[from + i] & 0xFF);
    }
    return index;
  }
}
