// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.Cursor;
import java.util.Arrays;

/**
 * How far a key is from where a scan begins to where it ends, if keys are taken to lie evenly: by
 * the few bytes in which the first key and the last one differ. It never changes.
 */
final class KeySpan {

  private static final int BYTES = 6;

  private final int from;
  private final double begin;
  private final double end;

  private KeySpan(byte[] begin, byte[] end) {
    int mismatch = Arrays.mismatch(begin, end);
    this.from = Math.max(0, mismatch);
    this.begin = number(begin);
    this.end = number(end);
  }

  /** Of all that a cursor goes over; moves it. */
  static KeySpan of(Cursor cursor, boolean reverse) {
    cursor.first();
    byte[] first = cursor.valid() ? cursor.key() : new byte[0];
    cursor.last();
    byte[] last = cursor.valid() ? cursor.key() : new byte[0];
    return reverse ? between(last, first) : between(first, last);
  }

  /** Of a scan from one key to another, which may be the smaller one. */
  static KeySpan between(byte[] begin, byte[] end) {
    return new KeySpan(begin, end);
  }

  /** From 0 to 1, for a key inside. */
  double share(byte[] key) {
    return begin == end ? 1 : Math.min(1, Math.max(0, (number(key) - begin) / (end - begin)));
  }

  /** The bytes behind what all keys share, as a number. */
  private double number(byte[] key) {
    long number = 0;
    for (int i = from; i < from + BYTES; i++) {
      number = number << Byte.SIZE | (i < key.length ? key[i] & 0xFF : 0);
    }
    return number;
  }
}
