// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import io.coppice.base.Limits;
import java.util.Arrays;

/**
 * Growing byte array for appends. Reused through {@link #clear}, which keeps the memory. An append
 * beyond the heap or {@link io.coppice.base.Limits#MAX_ARRAY_BYTES} throws OutOfMemoryError. Not
 * safe to share between threads.
 */
public final class ByteSink {

  /** Size in bytes above which a sink grows by a quarter instead of doubling. */
  private static final int LARGE_BYTES = 1 << 20;

  private static final int LARGE_SLACK_BYTES = 16 << 10;

  private byte[] array;
  private int length;

  /** Creates an empty sink with room for this many bytes before it first grows. */
  public ByteSink(int capacity) {
    array = new byte[capacity];
  }

  /** Returns the number of bytes appended since the start or the last {@link #clear}. */
  public int length() {
    return length;
  }

  /** Returns the bytes, from index 0 for {@link #length()}; <em>lent until the next append</em>. */
  public byte[] array() {
    return array;
  }

  /** Returns a copy of the bytes. */
  public byte[] toByteArray() {
    return Arrays.copyOf(array, length);
  }

  /** Removes all bytes and keeps the memory. */
  public void clear() {
    length = 0;
  }

  /** Removes all bytes, and replaces an array above {@code maxKeptBytes} by one of that size. */
  public void clear(int maxKeptBytes) {
    length = 0;
    if (array.length > maxKeptBytes) {
      array = new byte[maxKeptBytes];
    }
  }

  /** Removes the bytes from {@code newLength} on, which is at most {@link #length}. */
  public void truncate(int newLength) {
    assert newLength >= 0 && newLength <= length : newLength + " of " + length;
    length = newLength;
  }

  /** Appends one byte, the low eight bits. */
  public ByteSink u8(int value) {
    ensure(1);
    array[length++] = (byte) value;
    return this;
  }

  /** Appends four bytes, little-endian. */
  public ByteSink fixed32(int value) {
    ensure(Integer.BYTES);
    Coding.putFixed32(array, length, value);
    length += Integer.BYTES;
    return this;
  }

  /** Appends eight bytes, little-endian. */
  public ByteSink fixed64(long value) {
    ensure(Long.BYTES);
    Coding.putFixed64(array, length, value);
    length += Long.BYTES;
    return this;
  }

  /** Appends an unsigned varint of up to 32 bits. */
  public ByteSink varint32(int value) {
    ensure(Coding.MAX_VARINT_32);
    length = Coding.putVarint32(array, length, value);
    return this;
  }

  /** Appends an unsigned varint of up to 64 bits. */
  public ByteSink varint64(long value) {
    ensure(Coding.MAX_VARINT_64);
    length = Coding.putVarint64(array, length, value);
    return this;
  }

  /** Appends a copy of a range of an array. */
  public ByteSink bytes(byte[] source, int from, int count) {
    ensure(count);
    System.arraycopy(source, from, array, length, count);
    length += count;
    return this;
  }

  /** Appends the length of a range as a varint, then a copy of the range. */
  public ByteSink sized(byte[] source, int from, int count) {
    return varint32(count).bytes(source, from, count);
  }

  /** Appends a number of zero bytes. */
  public ByteSink zeros(int count) {
    ensure(count);
    Arrays.fill(array, length, length + count, (byte) 0);
    length += count;
    return this;
  }

  /**
   * Overwrites four bytes appended before, little-endian.
   *
   * @param at index of the first of them
   */
  public void setFixed32(int at, int value) {
    assert at + Integer.BYTES <= length;
    Coding.putFixed32(array, at, value);
  }

  private void ensure(int more) {
    if (array.length - length < more) {
      grow(more);
    }
  }

  private void grow(int more) {
    long needed = (long) length + more;
    if (needed > Limits.MAX_ARRAY_BYTES) {
      throw new OutOfMemoryError("a byte sink of " + needed + " bytes");
    }
    // A large value is followed by a few bytes, which must not cause a second copy of it.
    long next =
        needed > LARGE_BYTES
            ? Math.max(needed + LARGE_SLACK_BYTES, array.length + array.length / 4L)
            : Math.max(needed, Math.max(64, 2L * array.length));
    array = Arrays.copyOf(array, (int) Math.min(Limits.MAX_ARRAY_BYTES, next));
  }
}
