// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers as bytes. Fixed numbers are little-endian. A varint holds seven bits a byte, lowest
 * first, the top bit set on all but the last. An access outside the array gives {@link
 * IndexOutOfBoundsException}; bytes that come from disk are read through a {@link ByteSource},
 * which reports damage instead.
 */
public final class Coding {

  /** The longest varint of an int: ceil(32 / 7). */
  public static final int MAX_VARINT_32 = 5;

  /** The longest varint of a long: ceil(64 / 7). */
  public static final int MAX_VARINT_64 = 10;

  private static final VarHandle LITTLE_32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LITTLE_64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Coding() {}

  /** Writes four bytes. */
  public static void putFixed32(byte[] bytes, int at, int value) {
    LITTLE_32.set(bytes, at, value);
  }

  /** Reads four bytes. */
  public static int fixed32(byte[] bytes, int at) {
    return (int) LITTLE_32.get(bytes, at);
  }

  /** Writes eight bytes. */
  public static void putFixed64(byte[] bytes, int at, long value) {
    LITTLE_64.set(bytes, at, value);
  }

  /** Reads eight bytes. */
  public static long fixed64(byte[] bytes, int at) {
    return (long) LITTLE_64.get(bytes, at);
  }

  /** Reads eight bytes as a big-endian number, whose unsigned order is that of the bytes. */
  public static long bigEndian64(byte[] bytes, int at) {
    return (long) BIG_64.get(bytes, at);
  }

  /** Writes an unsigned varint; returns the position behind it. */
  public static int putVarint32(byte[] bytes, int at, int value) {
    int rest = value;
    int position = at;
    while ((rest & ~0x7F) != 0) {
      bytes[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[position++] = (byte) rest;
    return position;
  }

  /** Writes an unsigned varint; returns the position behind it. */
  public static int putVarint64(byte[] bytes, int at, long value) {
    long rest = value;
    int position = at;
    while ((rest & ~0x7FL) != 0) {
      bytes[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[position++] = (byte) rest;
    return position;
  }

  /** How many bytes {@link #putVarint64} writes, for ints without sign extension too. */
  public static int varintLength(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }
}
