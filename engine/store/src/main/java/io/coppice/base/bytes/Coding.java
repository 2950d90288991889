// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Encoding of numbers as bytes. Fixed numbers are little-endian. A varint has seven bits per byte,
 * lowest first, with the top bit set on all bytes but the last. An access outside the array throws
 * {@link IndexOutOfBoundsException}; {@link ByteSource} reads bytes from disk and reports damage
 * instead.
 */
public final class Coding {

  /** Length in bytes of the longest varint of an int: ceil(32 / 7). */
  public static final int MAX_VARINT_32 = 5;

  /** Length in bytes of the longest varint of a long: ceil(64 / 7). */
  public static final int MAX_VARINT_64 = 10;

  private static final VarHandle LITTLE_32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LITTLE_64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Coding() {}

  /** Writes four bytes, little-endian. */
  public static void putFixed32(byte[] bytes, int at, int value) {
    LITTLE_32.set(bytes, at, value);
  }

  /** Reads four bytes, little-endian. */
  public static int fixed32(byte[] bytes, int at) {
    return (int) LITTLE_32.get(bytes, at);
  }

  /** Writes eight bytes, little-endian. */
  public static void putFixed64(byte[] bytes, int at, long value) {
    LITTLE_64.set(bytes, at, value);
  }

  /** Reads eight bytes, little-endian. */
  public static long fixed64(byte[] bytes, int at) {
    return (long) LITTLE_64.get(bytes, at);
  }

  /** Reads eight bytes as a big-endian number, whose unsigned order is that of the bytes. */
  public static long bigEndian64(byte[] bytes, int at) {
    return (long) BIG_64.get(bytes, at);
  }

  /** Writes an unsigned varint. Returns the index after it. */
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

  /** Writes an unsigned varint. Returns the index after it. */
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

  /**
   * Returns the number of bytes that {@link #putVarint64} writes, for ints without sign extension
   * too.
   */
  public static int varintLength(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }
}
