// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Read-only buffer through which a cursor lends bytes until its next move. The buffers over the
 * last {@value #SOURCES} arrays of the cursor's memory are kept and repositioned, so a scan
 * allocates nothing in the long run unless its values are large.
 *
 * <p>In poisoning mode, which assertions or {@code -Dcoppice.poison=true} enable, the buffer is a
 * copy that is overwritten when it expires. A reader that keeps it too long then always reads
 * {@link #POISON}, whereas a lent array would change only sometimes.
 */
final class LentView {

  static final byte POISON = (byte) 0xDB;

  private static final boolean POISONING =
      Boolean.parseBoolean(
          System.getProperty(
              "coppice.poison", Boolean.toString(LentView.class.desiredAssertionStatus())));

  private static final byte[] NOTHING = new byte[0];

  /**
   * Number of arrays whose buffers are kept, because a cursor alternates between the arrays of its
   * memtables and tables.
   */
  private static final int SOURCES = 16;

  /**
   * Size in bytes of the largest array whose buffer is kept, so that a large value does not stay in
   * memory.
   */
  private static final int MAX_KEPT_BYTES = 256 << 10;

  private final byte[][] arrays = new byte[SOURCES][];
  private final ByteBuffer[] views = new ByteBuffer[SOURCES];
  private int nextSource;

  private byte[] copy = NOTHING;
  private boolean expired = true;

  /** Lends a range of an array until {@link #expire}. */
  ByteBuffer of(byte[] array, int offset, int length) {
    if (POISONING) {
      return ofCopy(array, offset, length);
    }
    return viewOf(array)
        .clear()
        .limit(offset + length)
        .position(offset)
        .order(ByteOrder.BIG_ENDIAN);
  }

  private ByteBuffer viewOf(byte[] array) {
    for (int i = 0; i < SOURCES; i++) {
      if (arrays[i] == array) {
        return views[i];
      }
    }
    ByteBuffer view = ByteBuffer.wrap(array).asReadOnlyBuffer();
    if (array.length <= MAX_KEPT_BYTES) {
      arrays[nextSource] = array;
      views[nextSource] = view;
      nextSource = (nextSource + 1) % SOURCES;
    }
    return view;
  }

  private ByteBuffer ofCopy(byte[] array, int offset, int length) {
    if (expired) {
      expired = false;
      copy = Arrays.copyOfRange(array, offset, offset + length);
    }
    return ByteBuffer.wrap(copy).asReadOnlyBuffer();
  }

  /**
   * Ends the loan before the cursor moves or closes. In poisoning mode overwrites the lent bytes.
   */
  void expire() {
    if (POISONING && !expired) {
      expired = true;
      Arrays.fill(copy, POISON);
      copy = NOTHING;
    }
  }
}
