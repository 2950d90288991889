// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.zip.CRC32C;

/**
 * The checksum of every unit on disk: CRC32C of its bytes, mixed with where they belong, so that a
 * unit that is read from another place or from another file does not match. Only arrays are summed,
 * never a mapping: a bad page under a checksum ends the process.
 */
public final class Checksum {

  /** Odd constants of splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014). */
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private static final long MIX_1 = 0xBF58476D1CE4E5B9L;
  private static final long MIX_2 = 0x94D049BB133111EBL;

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
