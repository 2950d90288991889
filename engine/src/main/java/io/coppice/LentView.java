// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The read-only buffer by which a cursor lends bytes until its next move. It is one buffer over the
 * cursor's own memory, set anew by each call, so that walking allocates nothing.
 *
 * <p>While poisoning, which is when assertions are on or by {@code -Dcoppice.poison=true}, it is a
 * copy instead, and overwritten when it expires: who reads it later finds nothing but {@link
 * #POISON} and fails where a lent array would only sometimes have changed.
 */
final class LentView {

  static final byte POISON = (byte) 0xDB;

  private static final boolean POISONING =
      Boolean.parseBoolean(
          System.getProperty(
              "coppice.poison", Boolean.toString(LentView.class.desiredAssertionStatus())));

  private static final byte[] NOTHING = new byte[0];

  private byte[] lent = NOTHING;
  private ByteBuffer view = ByteBuffer.wrap(NOTHING).asReadOnlyBuffer();
  private boolean expired = true;

  /** Lends a range of an array. */
  ByteBuffer of(byte[] array, int offset, int length) {
    if (POISONING) {
      return ofCopy(array, offset, length);
    }
    if (lent != array) {
      lent = array;
      view = ByteBuffer.wrap(array).asReadOnlyBuffer();
    }
    return view.clear().limit(offset + length).position(offset).order(ByteOrder.BIG_ENDIAN);
  }

  private ByteBuffer ofCopy(byte[] array, int offset, int length) {
    if (expired) {
      expired = false;
      lent = Arrays.copyOfRange(array, offset, offset + length);
    }
    return ByteBuffer.wrap(lent).asReadOnlyBuffer();
  }

  /** The cursor moves or closes. */
  void expire() {
    if (POISONING && !expired) {
      expired = true;
      Arrays.fill(lent, POISON);
      lent = NOTHING;
    }
  }
}
