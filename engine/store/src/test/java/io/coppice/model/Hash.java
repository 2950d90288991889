// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Hashes of 64 bits, the same on every JDK; a difference in one bit moves half of the others. */
final class Hash {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long STEP = 0x9E3779B97F4A7C15L;

  private Hash() {}

  static long mix(long hash, long more) {
    long z = (hash ^ more) * STEP;
    z = (z ^ (z >>> 32)) * 0xD6E8FEB86659FD93L;
    return z ^ (z >>> 29);
  }

  static long of(byte[] bytes) {
    long hash = mix(STEP, bytes.length);
    int i = 0;
    for (; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
      hash = mix(hash, (long) LONGS.get(bytes, i));
    }
    long tail = 0;
    for (int shift = 0; i < bytes.length; i++, shift += Byte.SIZE) {
      tail |= (bytes[i] & 0xffL) << shift;
    }
    return mix(hash, tail);
  }

  /** Of one key with its value. The sum over all entries identifies the contents of a store. */
  static long entry(byte[] key, byte[] value) {
    return mix(of(key) + STEP, of(value));
  }
}
