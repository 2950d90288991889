// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Bytes;

/**
 * Reader of the entries of one or several consecutive {@link EntryBatch}es. Ranges refer to the
 * array being read, which is lent. The accessors of an entry require that {@link #next} returned
 * true. Reusable; not safe to share between threads.
 */
public final class EntryBatchReader {

  private final ByteSource source = new ByteSource();
  private int family;
  private EntryKind kind;
  private int keyFrom;
  private int keyLength;
  private int valueFrom;
  private int valueLength;

  /** Creates a reader without bytes. */
  public EntryBatchReader() {}

  /**
   * Starts over on other bytes, before their first entry.
   *
   * @param file name for messages
   * @param fileOffset offset in the file of the byte at {@code from}
   */
  public void reset(String file, long fileOffset, byte[] array, int from, int length) {
    source.reset(file, fileOffset, array, from, length);
  }

  /**
   * Moves to the next entry. Returns false after the last one.
   *
   * @throws io.coppice.base.CorruptionException if the bytes are not a sequence of entries; the
   *     reader then needs a reset
   */
  public boolean next() {
    if (source.remaining() == 0) {
      return false;
    }
    family = source.varint31();
    int code = source.u8();
    kind = EntryKind.orNull(code);
    if (kind == null) {
      throw source.damaged("an entry kind was expected, found " + code);
    }
    keyLength = source.sized(Limits.MAX_KEY_BYTES);
    keyFrom = source.position() - keyLength;
    valueLength = kind.hasValue() ? source.sized(kind.maxValueBytes()) : 0;
    valueFrom = source.position() - valueLength;
    if (valueLength < kind.minValueBytes()
        || (kind == EntryKind.DELETE_RANGE
            && Bytes.compare(array(), keyFrom, keyLength, array(), valueFrom, valueLength) >= 0)) {
      throw source.damaged(kind + " with a value of " + valueLength + " bytes");
    }
    return true;
  }

  /** Returns the number of the entry's family; a family with this number need not exist. */
  public int family() {
    return family;
  }

  /** Returns the kind of the entry. */
  public EntryKind kind() {
    return kind;
  }

  /** Returns the array with the key and the value. */
  public byte[] array() {
    return source.array();
  }

  /** Returns the index of the key's first byte in {@link #array}. */
  public int keyFrom() {
    return keyFrom;
  }

  /** Returns the length of the key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** Returns the index of the value's first byte in {@link #array}. */
  public int valueFrom() {
    return valueFrom;
  }

  /** Returns the length of the value in bytes; 0 for a deletion. */
  public int valueLength() {
    return valueLength;
  }
}
