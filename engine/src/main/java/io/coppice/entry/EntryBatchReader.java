// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.ByteSource;
import io.coppice.base.Bytes;
import io.coppice.base.Limits;

/**
 * Reads the entries of an {@link EntryBatch}, or of several, one behind the other. Ranges are given
 * in the array that is being read, which is lent. Reusable; not safe to share between threads.
 */
public final class EntryBatchReader {

  private final ByteSource source = new ByteSource();
  private int family;
  private Kind kind;
  private int keyFrom;
  private int keyLength;
  private int valueFrom;
  private int valueLength;

  /** Stands on nothing. */
  public EntryBatchReader() {}

  /**
   * Starts over on other bytes, before their first entry.
   *
   * @param file name for messages
   * @param fileOffset where in the file the byte at {@code from} lies
   */
  public void reset(String file, long fileOffset, byte[] array, int from, int length) {
    source.reset(file, fileOffset, array, from, length);
  }

  /**
   * Moves to the next entry. False behind the last.
   *
   * @throws io.coppice.base.CorruptionException if the bytes are not a sequence of entries
   */
  public boolean next() {
    if (source.remaining() == 0) {
      return false;
    }
    family = source.varint31();
    int code = source.u8();
    kind = Kind.orNull(code);
    if (kind == null) {
      throw source.damaged("an entry kind was expected, found " + code);
    }
    keyLength = source.sized(Limits.MAX_KEY_BYTES);
    keyFrom = source.position() - keyLength;
    valueLength = kind.hasValue() ? source.sized(kind.maxValueBytes()) : 0;
    valueFrom = source.position() - valueLength;
    if (valueLength < kind.minValueBytes()
        || (kind == Kind.DELETE_RANGE
            && Bytes.compare(array(), keyFrom, keyLength, array(), valueFrom, valueLength) >= 0)) {
      throw source.damaged(kind + " with a value of " + valueLength + " bytes");
    }
    return true;
  }

  /** The number of the entry's family; whether it exists is not checked. */
  public int family() {
    return family;
  }

  /** What the entry does. */
  public Kind kind() {
    return kind;
  }

  /** The array with the key and the value. */
  public byte[] array() {
    return source.array();
  }

  /** The position of the key. */
  public int keyFrom() {
    return keyFrom;
  }

  /** The length of the key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** The position of the value. */
  public int valueFrom() {
    return valueFrom;
  }

  /** The length of the value in bytes; 0 for a deletion. */
  public int valueLength() {
    return valueLength;
  }
}
