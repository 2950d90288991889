// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Coding;
import java.nio.ByteBuffer;

/**
 * Layout of an entry in two parts, node and body. A search mostly reads nodes, which are close
 * together: most of them fit the processor's caches, on few pages. It accesses a body only if the
 * first eight bytes of two keys are equal.
 *
 * <pre>
 * node, at a multiple of eight
 *   p            prefix        the key's first eight bytes, padded with zeros
 *   p +  8       body          int address
 *   p + 12       next          int address of the next node, 0 for none
 *
 * body, at a multiple of eight
 *   b            trailer       long, sequence number * 256 + kind
 *   b +  8       key length    int
 *   b + 12       value length  int
 *   b + 16       key           from its ninth byte on
 *   after it     value
 * </pre>
 *
 * Big-endian, except the link to the next node, which has the byte order of the machine.
 */
final class EntryNodeLayout {

  static final int BODY = 8;
  static final int NEXT = 12;
  static final int NODE_BYTES = 16;

  private static final int KEY_LENGTH = 8;
  private static final int VALUE_LENGTH = 12;
  private static final int KEY_REST = 16;

  /** Number of bytes at the start of a key that its node contains. */
  private static final int PREFIX_BYTES = Long.BYTES;

  private static final int ALIGNMENT = 8;

  private EntryNodeLayout() {}

  /** Returns the size of a body in bytes, a multiple of eight. */
  static int bodyBytes(int keyLength, int valueLength) {
    return align(KEY_REST + Math.max(0, keyLength - PREFIX_BYTES) + valueLength);
  }

  /** Returns the size of node and body in bytes. */
  static int bytes(int keyLength, int valueLength) {
    return NODE_BYTES + bodyBytes(keyLength, valueLength);
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

  static void writeNode(ByteBuffer chunk, int p, long prefix, int body) {
    chunk.putLong(p, prefix);
    chunk.putInt(p + BODY, body);
  }

  static void writeBody(
      ByteBuffer chunk,
      int b,
      long trailer,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    chunk.putLong(b, trailer);
    chunk.putInt(b + KEY_LENGTH, keyLength);
    chunk.putInt(b + VALUE_LENGTH, valueLength);
    if (keyLength > PREFIX_BYTES) {
      chunk.put(b + KEY_REST, key, keyFrom + PREFIX_BYTES, keyLength - PREFIX_BYTES);
    }
    chunk.put(value(b, keyLength), value, valueFrom, valueLength);
  }

  static int keyLength(ByteBuffer chunk, int b) {
    return chunk.getInt(b + KEY_LENGTH);
  }

  static int valueLength(ByteBuffer chunk, int b) {
    return chunk.getInt(b + VALUE_LENGTH);
  }

  /**
   * Returns the position of the value in the chunk.
   *
   * @param b position of the body
   */
  static int value(int b, int keyLength) {
    return b + KEY_REST + Math.max(0, keyLength - PREFIX_BYTES);
  }

  /**
   * Copies a key to the start of the target.
   *
   * @param b position of the body
   * @param prefix the key's first eight bytes, from the node
   */
  static void copyKey(ByteBuffer chunk, int b, long prefix, int keyLength, byte[] target) {
    if (keyLength >= PREFIX_BYTES) {
      Coding.putFixed64(target, 0, Long.reverseBytes(prefix));
      chunk.get(b + KEY_REST, target, PREFIX_BYTES, keyLength - PREFIX_BYTES);
    } else {
      for (int i = 0; i < keyLength; i++) {
        target[i] = (byte) (prefix >>> (56 - 8 * i));
      }
    }
  }

  /**
   * Compares a body's key with another of the same {@link Bytes#prefix}. The result is negative,
   * zero or positive if the body's key is smaller, equal or greater. If one of them has at most
   * eight bytes, the shorter one is a prefix of the longer.
   */
  static int compareRest(ByteBuffer chunk, int b, byte[] key, int keyFrom, int keyLength) {
    int bodyLength = chunk.getInt(b + KEY_LENGTH);
    int rest = Math.min(bodyLength, keyLength) - PREFIX_BYTES;
    if (rest > 0) {
      int order = compareBytes(chunk, b + KEY_REST, key, keyFrom + PREFIX_BYTES, rest);
      if (order != 0) {
        return order;
      }
    }
    return bodyLength - keyLength;
  }

  /** Compares eight bytes at a time; the last eight may overlap those before. */
  private static int compareBytes(ByteBuffer chunk, int at, byte[] key, int keyFrom, int length) {
    if (length < Long.BYTES) {
      for (int i = 0; i < length; i++) {
        int order = (chunk.get(at + i) & 0xFF) - (key[keyFrom + i] & 0xFF);
        if (order != 0) {
          return order;
        }
      }
      return 0;
    }
    for (int i = 0; i < length; i += Long.BYTES) {
      int from = Math.min(i, length - Long.BYTES);
      long a = chunk.getLong(at + from);
      long b = Coding.bigEndian64(key, keyFrom + from);
      if (a != b) {
        return Long.compareUnsigned(a, b);
      }
    }
    return 0;
  }
}
