// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.bytes.Coding;

/**
 * Expiry time of an {@link EntryKind#EXPIRING} entry, stored before the user's value.
 *
 * <pre>
 *   0  end     u64, milliseconds since 1970: from then on the key is absent
 *   8  value
 * </pre>
 *
 * <p>For a read that begins at or after the end, the entry is a deletion, even in an older
 * snapshot. The clock that judges it never goes back.
 */
public final class Expiry {

  /** Number of bytes that precede the user's value. */
  public static final int BYTES = Long.BYTES;

  private Expiry() {}

  /**
   * Writes the expiry time of an entry.
   *
   * @param from index where the entry's value begins
   */
  public static void put(byte[] value, int from, long endMillis) {
    Coding.putFixed64(value, from, endMillis);
  }

  /**
   * Returns the expiry time of an entry, in milliseconds since 1970.
   *
   * @param from index where the entry's value begins
   */
  public static long endMillis(byte[] value, int from) {
    return Coding.fixed64(value, from);
  }

  /**
   * Returns whether an entry has expired.
   *
   * @param from index where the entry's value begins
   * @param nowMillis the time that judges it
   */
  public static boolean isPast(byte[] value, int from, long nowMillis) {
    return endMillis(value, from) <= nowMillis;
  }

  /**
   * Returns the value of an entry with another user value and the same expiry time.
   *
   * @param from index where the entry's value begins
   * @param value the other user value
   */
  static byte[] withEnd(byte[] array, int from, byte[] value) {
    byte[] whole = new byte[BYTES + value.length];
    put(whole, 0, endMillis(array, from));
    System.arraycopy(value, 0, whole, BYTES, value.length);
    return whole;
  }
}
