// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

/**
 * Compressor and decompressor of ranges of private arrays. Callers never pass a mapping: an
 * unreadable page there would end the process inside a native library. Safe to share between
 * threads.
 */
public interface CompressionCodec extends AutoCloseable {

  /** Returns the largest compressed size, in bytes, of the given number of bytes. */
  int maxLength(int length);

  /**
   * Compresses a range of an array.
   *
   * @param to receives the result from position 0; it has room for {@link #maxLength}
   * @return the length of the result
   */
  int compress(byte[] from, int offset, int length, byte[] to);

  /**
   * Decompresses a range of an array.
   *
   * @param to receives the result from position 0, at most {@code toLength} bytes
   * @return the length of the result, or -1 if the bytes are not output of {@link #compress} or
   *     exceed {@code toLength}
   */
  int restore(byte[] from, int offset, int length, byte[] to, int toLength);

  /** Releases the codec's resources. The caller makes sure that no thread uses it any longer. */
  @Override
  void close();
}
