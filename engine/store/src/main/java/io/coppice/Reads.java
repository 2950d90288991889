// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.Limits;
import io.coppice.read.FamilyReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Point lookups with checked arguments, for stores and snapshots. Safe to share between threads.
 */
final class Reads {

  private final FamilyReader reader;

  Reads(FamilyReader reader) {
    this.reader = reader;
  }

  byte[] get(byte[] key, long sequence) {
    check(key.length);
    return reader.get(key, 0, key.length, sequence);
  }

  byte[] get(ByteBuffer key, long sequence) {
    check(key.remaining());
    return reader.get(key, sequence);
  }

  int getInto(byte[] key, long sequence, ByteBuffer target) {
    check(key.length);
    return reader.getInto(key, 0, key.length, sequence, target);
  }

  int getInto(ByteBuffer key, long sequence, ByteBuffer target) {
    check(key.remaining());
    return reader.getInto(key, sequence, target);
  }

  List<byte[]> getAll(List<byte[]> keys, long sequence) {
    List<byte[]> copy = List.copyOf(keys);
    for (byte[] key : copy) {
      check(key.length);
    }
    return Collections.unmodifiableList(Arrays.asList(reader.getAll(copy, sequence)));
  }

  private static void check(int keyLength) {
    if (keyLength > Limits.MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "a key of " + keyLength + " bytes; at most " + Limits.MAX_KEY_BYTES + " are allowed");
    }
  }
}
