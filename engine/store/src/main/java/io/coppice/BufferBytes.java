// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.nio.ByteBuffer;

/**
 * Bytes from position to limit of a buffer, as a range of an array. The array is the buffer's own
 * if it has an accessible one, otherwise a copy. Valid until the caller of the public method
 * changes the buffer, so no object keeps it.
 */
record BufferBytes(byte[] array, int from, int length) {

  static BufferBytes of(ByteBuffer buffer) {
    if (buffer.hasArray()) {
      return new BufferBytes(
          buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    }
    return new BufferBytes(copy(buffer), 0, buffer.remaining());
  }

  /** Returns a copy of the bytes from position to limit. */
  static byte[] copy(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.get(buffer.position(), copy);
    return copy;
  }
}
