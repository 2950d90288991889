// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

import java.util.Random;

/**
 * Values of one length, each determined by the number of its write. They are ranges of one buffer,
 * whose every piece of {@value #PIECE_BYTES} bytes repeats {@value #RANDOM_BYTES} random bytes. A
 * codec that finds the repetition halves the size, as in {@code db_bench}. Immutable; safe to share
 * between threads.
 */
public final class Values {

  private static final int PIECE_BYTES = 100;
  private static final int RANDOM_BYTES = PIECE_BYTES / 2;
  private static final int POOL_BYTES = 1 << 20;

  private final byte[] pool;
  private final int length;
  private final long seed;

  /**
   * Fills the buffer with random bytes.
   *
   * @param length of every value, in bytes
   */
  public Values(int length, long seed) {
    this.length = length;
    this.seed = seed;
    pool = new byte[POOL_BYTES + length + PIECE_BYTES];
    Random random = new Random(seed);
    byte[] half = new byte[RANDOM_BYTES];
    for (int at = 0; at + PIECE_BYTES <= pool.length; at += PIECE_BYTES) {
      random.nextBytes(half);
      System.arraycopy(half, 0, pool, at, RANDOM_BYTES);
      System.arraycopy(half, 0, pool, at + RANDOM_BYTES, RANDOM_BYTES);
    }
  }

  /** Returns the array that contains all values. The caller must not write to it. */
  public byte[] pool() {
    return pool;
  }

  /** Returns the index in {@link #pool} where the value of write number {@code write} begins. */
  public int position(long write) {
    return (int) (UniformDraws.mix(seed + write) >>> 44);
  }

  /** Returns the length of every value, in bytes. */
  public int length() {
    return length;
  }
}
