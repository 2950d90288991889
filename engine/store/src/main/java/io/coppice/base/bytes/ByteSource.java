// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import io.coppice.base.CorruptionException;

/**
 * Reader of numbers and ranges from bytes that come from disk. Every read is checked against the
 * end. If the bytes do not fit, it throws {@link CorruptionException} with file and offset before
 * it allocates memory. The source then needs a {@link #reset}. Reusable; not safe to share between
 * threads.
 */
public final class ByteSource {

  private String file = "";
  private long fileOffset;
  private byte[] array = Bytes.EMPTY;
  private int from;
  private int position;
  private int end;

  /**
   * Starts over on other bytes, which are <em>lent</em> until the next reset.
   *
   * @param file name for messages
   * @param fileOffset offset in the file of the byte at {@code from}
   */
  public ByteSource reset(String file, long fileOffset, byte[] array, int from, int length) {
    assert from >= 0 && length >= 0 && from + length <= array.length;
    this.file = file;
    this.fileOffset = fileOffset;
    this.array = array;
    this.from = from;
    this.position = from;
    this.end = from + length;
    return this;
  }

  /** Returns the array being read. */
  public byte[] array() {
    return array;
  }

  /** Returns the index in the array of the next byte. */
  public int position() {
    return position;
  }

  /** Returns the number of bytes left. */
  public int remaining() {
    return end - position;
  }

  /** Returns the offset in the file of the next byte. */
  public long offset() {
    return fileOffset + position - from;
  }

  /** Reads one byte, 0 to 255. */
  public int u8() {
    need(1);
    return array[position++] & 0xFF;
  }

  /** Reads four bytes, little-endian. */
  public int fixed32() {
    need(Integer.BYTES);
    int value = Coding.fixed32(array, position);
    position += Integer.BYTES;
    return value;
  }

  /** Reads eight bytes, little-endian. */
  public long fixed64() {
    need(Long.BYTES);
    long value = Coding.fixed64(array, position);
    position += Long.BYTES;
    return value;
  }

  /** Reads an unsigned varint that must fit in 31 bits. */
  public int varint31() {
    long value = varint64();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw damaged("a number of at most 31 bits was expected, found " + value);
    }
    return (int) value;
  }

  /** Reads an unsigned varint of up to 64 bits. */
  public long varint64() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      need(1);
      byte next = array[position++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        if (shift == 63 && next > 1) {
          break;
        }
        return value;
      }
    }
    throw damaged("a varint is longer than 64 bits");
  }

  /**
   * Reads a varint length and skips that many bytes. The range ends at {@link #position()} then.
   *
   * @param maxLength the largest legal length
   * @return the length
   */
  public int sized(int maxLength) {
    int length = varint31();
    if (length > maxLength) {
      throw damaged("a length of at most " + maxLength + " was expected, found " + length);
    }
    skip(length);
    return length;
  }

  /** Skips a number of bytes. The skipped range then ends at {@link #position()}. */
  public void skip(int length) {
    need(length);
    position += length;
  }

  /**
   * Reads a varint length and a copy of that many bytes.
   *
   * @param maxLength the largest legal length
   */
  public byte[] sizedCopy(int maxLength) {
    int length = sized(maxLength);
    return Bytes.copy(array, position - length, length);
  }

  /** Returns an exception that reports damage at the present offset; the caller throws it. */
  public CorruptionException damaged(String detail) {
    return new CorruptionException(file, offset(), detail);
  }

  private void need(int count) {
    if (count < 0 || count > end - position) {
      throw damaged(count + " more bytes were expected, " + (end - position) + " are left");
    }
  }
}
