// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/**
 * Compresses and restores ranges of private arrays; never of a mapping, where a page that cannot be
 * read would end the process inside a library. Safe to share between threads.
 */
interface CodecBytes extends AutoCloseable {

  /** Bytes that so many bytes take at most when compressed. */
  int maxLength(int length);

  /**
   * Compresses a range.
   *
   * @param to from position 0 on, with room for {@link #maxLength}
   * @return the length of what was written
   */
  int compress(byte[] from, int offset, int length, byte[] to);

  /**
   * Restores a range.
   *
   * @param to from position 0 on, never beyond {@code toLength}
   * @return the length of what was written, or -1 if the bytes are not what {@link #compress} makes
   */
  int restore(byte[] from, int offset, int length, byte[] to, int toLength);

  /** Gives back what it holds; nobody uses it any more. */
  @Override
  void close();
}
