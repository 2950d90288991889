// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.zip.CRC32C;

/**
 * The checksum of every unit on disk: CRC32C of its bytes, mixed with where they belong, so that a
 * unit that is read from another place or from another file does not match. Only arrays are summed,
 * never a mapping: a bad page under a checksum ends the process. An instance, which sums several
 * ranges, is not safe to share between threads.
 */
public final class Checksum {

  /** No byte. */
  public static final long NONE = -1;

  /** Odd constants of splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014). */
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private static final long MIX_1 = 0xBF58476D1CE4E5B9L;
  private static final long MIX_2 = 0x94D049BB133111EBL;

  /** CRC32C, lowest bit first. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private final CRC32C crc = new CRC32C();

  /**
   * The checksum of one range.
   *
   * @param fileNumber the file it belongs to
   * @param fileOffset where in that file the unit starts
   */
  public static int of(long fileNumber, long fileOffset, byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue() ^ salt(fileNumber, fileOffset);
  }

  /** Forgets what was added. For sums over several ranges; not safe to share between threads. */
  public Checksum reset() {
    crc.reset();
    return this;
  }

  /** Adds a range. */
  public Checksum add(byte[] bytes, int from, int length) {
    crc.update(bytes, from, length);
    return this;
  }

  /** The checksum of the ranges added, as {@link #of} would give it for their concatenation. */
  public int value(long fileNumber, long fileOffset) {
    return (int) crc.getValue() ^ salt(fileNumber, fileOffset);
  }

  /**
   * True if two sums of the same place are what one changed bit makes of each other: one of the
   * summed bytes, or one of the sum itself. The chance that other damage looks so is about one in
   * 2<sup>32</sup> for each summed bit.
   *
   * @param bytes how many bytes were summed
   */
  public static boolean oneBitApart(int sum, int other, long bytes) {
    return changedByte(sum, other, bytes) != NONE;
  }

  /**
   * Of which byte that bit is: the index among the summed ones, {@code bytes} if it is one of the
   * sum itself, {@link #NONE} if there is no such bit.
   */
  public static long changedByte(int sum, int other, long bytes) {
    int difference = sum ^ other;
    if (Integer.bitCount(difference) == 1) {
      return bytes;
    }
    // The sums of two messages that differ in their last bit differ by the polynomial; each bit
    // further in front means one more step of the shift register.
    int ofBit = POLYNOMIAL;
    for (long bit = 0; bit < Byte.SIZE * bytes; bit++) {
      if (ofBit == difference) {
        return bytes - 1 - bit / Byte.SIZE;
      }
      ofBit = (ofBit >>> 1) ^ (-(ofBit & 1) & POLYNOMIAL);
    }
    return NONE;
  }

  private static int salt(long fileNumber, long fileOffset) {
    long x = mix(mix(fileNumber + GAMMA) + fileOffset);
    return (int) (x ^ (x >>> 32));
  }

  private static long mix(long value) {
    long x = value;
    x = (x ^ (x >>> 30)) * MIX_1;
    x = (x ^ (x >>> 27)) * MIX_2;
    return x ^ (x >>> 31);
  }
}
