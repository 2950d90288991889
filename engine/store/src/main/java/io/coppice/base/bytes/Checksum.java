// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import java.util.zip.CRC32C;

/**
 * Checksum of every unit on disk: CRC32C of its bytes, mixed with its file and offset, so that a
 * unit read from another place or file does not match. Only arrays are summed, never a mapping: a
 * bad page under a checksum ends the process. An instance, which sums several ranges, is not safe
 * to share between threads.
 */
public final class Checksum {

  /** Result of {@link #changedByte} if no single bit explains the difference. */
  public static final long NONE = -1;

  /** Odd constants of splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014). */
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private static final long MIX_1 = 0xBF58476D1CE4E5B9L;
  private static final long MIX_2 = 0x94D049BB133111EBL;

  /** Polynomial of CRC32C, lowest bit first. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private final CRC32C crc = new CRC32C();

  /**
   * Returns the checksum of one range.
   *
   * @param fileNumber the file of the unit
   * @param fileOffset the offset of the unit in that file
   */
  public static int of(long fileNumber, long fileOffset, byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue() ^ salt(fileNumber, fileOffset);
  }

  /** Starts a new sum over several ranges. Returns this object. */
  public Checksum reset() {
    crc.reset();
    return this;
  }

  /** Adds a range to the sum. Returns this object. */
  public Checksum add(byte[] bytes, int from, int length) {
    crc.update(bytes, from, length);
    return this;
  }

  /** Returns the checksum of the added ranges, equal to {@link #of} for their concatenation. */
  public int value(long fileNumber, long fileOffset) {
    return (int) crc.getValue() ^ salt(fileNumber, fileOffset);
  }

  /**
   * Returns whether a single changed bit explains two different sums at the same place: a bit of
   * the summed bytes or of the sum itself. Other damage looks the same with a probability of about
   * one in 2<sup>32</sup> for each summed bit.
   *
   * @param bytes number of summed bytes
   */
  public static boolean oneBitApart(int sum, int other, long bytes) {
    return changedByte(sum, other, bytes) != NONE;
  }

  /**
   * Returns the byte with the one bit that explains two different sums, or {@link #NONE} if none
   * does. The result is an index among the summed bytes, or {@code bytes} for the sum itself.
   *
   * @param bytes number of summed bytes
   */
  public static long changedByte(int sum, int other, long bytes) {
    int difference = sum ^ other;
    if (Integer.bitCount(difference) == 1) {
      return bytes;
    }
    // The sums of two messages that differ in the last bit differ by the polynomial. Each earlier
    // bit adds one step of the shift register.
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
