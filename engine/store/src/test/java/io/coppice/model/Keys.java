// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The keys of a load by number, 0 to {@value #MAX} exclusive; different numbers, different keys.
 */
public enum Keys {
  /** The letters a to z, then pairs of them. */
  PLAIN {
    @Override
    byte[] make(int number) {
      String last = String.valueOf((char) ('a' + number % 26));
      String text = number < 26 ? last : make(number / 26 - 1, last);
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    private String make(int number, String rest) {
      String longer = (char) ('a' + number % 26) + rest;
      return number < 26 ? longer : make(number / 26 - 1, longer);
    }
  },

  /** One to fifty bytes, many of them 0 or 0xff, with long common beginnings. */
  BINARY {
    @Override
    byte[] make(int number) {
      byte[] key = new byte[2 + number % 9 + (number % 97 == 0 ? 40 : 0)];
      Arrays.fill(key, (byte) (number % 7 == 0 ? 0xff : 0));
      key[0] = (byte) (number >> 4);
      key[1] = (byte) (number >> 12);
      key[key.length - 1] ^= (byte) (number & 15);
      return key;
    }
  };

  /** Numbers end before this one. */
  public static final int MAX = 4096;

  private final byte[][] made = new byte[MAX][];

  abstract byte[] make(int number);

  /** The key of a number; lent, not to be changed. */
  public byte[] of(int number) {
    byte[] key = made[number];
    if (key == null) {
      key = make(number);
      made[number] = key;
    }
    return key;
  }
}
