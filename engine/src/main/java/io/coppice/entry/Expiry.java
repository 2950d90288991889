// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Coding;

/**
 * The end of an {@link Kind#EXPIRING} entry, in front of the user's value.
 *
 * <pre>
 *   0  end     u64, milliseconds since 1970: from then on the key is absent
 *   8  value
 * </pre>
 *
 * <p>An entry past its end is a deletion to everybody, snapshots included, since the clock by which
 * it is judged never goes back.
 */
public final class Expiry {

  /** Bytes in front of the user's value. */
  public static final int BYTES = Long.BYTES;

  private Expiry() {}

  /** Writes the end of an entry. */
  public static void put(byte[] value, int from, long endMillis) {
    Coding.putFixed64(value, from, endMillis);
  }

  /** The end of the entry whose value begins here. */
  public static long endMillis(byte[] value, int from) {
    return Coding.fixed64(value, from);
  }

  /** True if the entry whose value begins here is past its end. */
  public static boolean isPast(byte[] value, int from, long nowMillis) {
    return endMillis(value, from) <= nowMillis;
  }

  /** Another value with the end of the entry whose value begins here. */
  static byte[] withEnd(byte[] array, int from, byte[] value) {
    byte[] whole = new byte[BYTES + value.length];
    put(whole, 0, endMillis(array, from));
    System.arraycopy(value, 0, whole, BYTES, value.length);
    return whole;
  }
}
