// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Bytes;
import io.coppice.base.Coding;
import java.nio.ByteBuffer;

/**
 * One entry in a chunk, around a position p that is a multiple of eight. The tower grows downwards,
 * so nobody but the writer has to know its height.
 *
 * <pre>
 * p - 4 - 4l  next(l)       int address of the next node on level l, 0 for none
 * p           trailer       long, sequence number * 256 + kind
 * p +  8      key length    int
 * p + 12      value length  int
 * p + 16      key           filled up with zeros to eight bytes
 * behind it   value
 * </pre>
 *
 * Big-endian, but for the tower, which has the order of the machine.
 */
final class NodeLayout {

  /** Towers are this high at most: with a share of 1/4 a level, enough for 4^12 nodes. */
  static final int MAX_HEIGHT = 12;

  static final int KEY_LENGTH = 8;
  static final int VALUE_LENGTH = 12;
  static final int KEY = 16;

  private static final int ALIGNMENT = 8;

  private NodeLayout() {}

  /** Bytes before p, a multiple of eight. */
  static int towerBytes(int height) {
    return align(Integer.BYTES * height);
  }

  /** Bytes from p on, a multiple of eight. */
  static int bodyBytes(int keyLength, int valueLength) {
    return align(KEY + Math.max(Long.BYTES, keyLength) + valueLength);
  }

  static int maxBytes(int keyLength, int valueLength) {
    return towerBytes(MAX_HEIGHT) + bodyBytes(keyLength, valueLength);
  }

  private static int align(int bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  static long trailer(long sequence, int kind) {
    return sequence << 8 | kind;
  }

  static long sequence(long trailer) {
    return trailer >>> 8;
  }

  static int kind(long trailer) {
    return (int) trailer & 0xFF;
  }

  static void write(
      ByteBuffer chunk,
      int p,
      long trailer,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    chunk.putLong(p, trailer);
    chunk.putInt(p + KEY_LENGTH, keyLength);
    chunk.putInt(p + VALUE_LENGTH, valueLength);
    chunk.putLong(p + KEY, Bytes.prefix(key, keyFrom, keyLength));
    if (keyLength > Long.BYTES) {
      chunk.put(p + KEY, key, keyFrom, keyLength);
    }
    chunk.put(value(p, keyLength), value, valueFrom, valueLength);
  }

  static int value(int p, int keyLength) {
    return p + KEY + Math.max(Long.BYTES, keyLength);
  }

  /**
   * Compares a node's key with another, given the other's {@link Bytes#prefix}. Equal prefixes of
   * which one has eight bytes or fewer mean that the shorter key begins the longer one.
   */
  static int compareKey(
      ByteBuffer chunk, int p, long prefix, byte[] key, int keyFrom, int keyLength) {
    long nodePrefix = chunk.getLong(p + KEY);
    if (nodePrefix != prefix) {
      return Long.compareUnsigned(nodePrefix, prefix);
    }
    int nodeLength = chunk.getInt(p + KEY_LENGTH);
    int shared = Math.min(nodeLength, keyLength);
    if (shared > Long.BYTES) {
      int order = compareRest(chunk, p + KEY, key, keyFrom, shared);
      if (order != 0) {
        return order;
      }
    }
    return nodeLength - keyLength;
  }

  /** Compares from the ninth byte on, eight at a time; the last eight may overlap those before. */
  private static int compareRest(ByteBuffer chunk, int at, byte[] key, int keyFrom, int shared) {
    for (int i = Long.BYTES; i < shared; i += Long.BYTES) {
      int from = Math.min(i, shared - Long.BYTES);
      long a = chunk.getLong(at + from);
      long b = Coding.bigEndian64(key, keyFrom + from);
      if (a != b) {
        return Long.compareUnsigned(a, b);
      }
    }
    return 0;
  }
}
