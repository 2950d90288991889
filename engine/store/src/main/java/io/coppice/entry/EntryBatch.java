// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSink;

/**
 * Batch of entries in order of addition, encoded as the log stores them. Their sequence numbers are
 * consecutive, beginning with the first entry's. Not safe to share between threads.
 *
 * <pre>
 * family   varint, 0 for the default one
 * kind     u8, {@link EntryKind#code}
 * key      varint length, bytes
 * value    varint length, bytes; absent for DELETE; the end, exclusive, for DELETE_RANGE
 * </pre>
 */
public final class EntryBatch {

  /**
   * Maximum bytes of an entry's frame: its kind, and the varints of family, key length and value
   * length.
   */
  private static final int MAX_FRAME_BYTES = 1 + 5 + 3 + 5;

  private static final int FIRST_CAPACITY_BYTES = 256;

  private final ByteSink bytes = new ByteSink(FIRST_CAPACITY_BYTES);
  private int count;

  /** Number of entries with a value or a merge operand. */
  private int values;

  private int family;

  /** Creates an empty batch for the default family. */
  public EntryBatch() {}

  /** Sets the family, by number, of the entries added next. Returns this batch. */
  public EntryBatch in(int number) {
    family = number;
    return this;
  }

  /** Returns the number of the family of the entries added next. */
  public int family() {
    return family;
  }

  /**
   * Adds a value for a key; both are copied. Their lengths must be within {@link Limits}, and
   * {@link #hasRoomFor} must hold; neither is checked.
   */
  public void put(
      byte[] key, int keyFrom, int keyLength, byte[] value, int valueFrom, int valueLength) {
    add(EntryKind.PUT, key, keyFrom, keyLength, value, valueFrom, valueLength);
  }

  /** Adds an entry of a kind with a value, as {@link #put} does. */
  public void add(
      EntryKind kind,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    assert keyLength <= Limits.MAX_KEY_BYTES && valueLength <= Limits.MAX_VALUE_BYTES;
    assert kind.hasValue() : kind;
    bytes.varint32(family).u8(kind.code());
    bytes.sized(key, keyFrom, keyLength).sized(value, valueFrom, valueLength);
    count++;
    values += kind == EntryKind.DELETE_RANGE ? 0 : 1;
  }

  /** Adds the deletion of a key, which is copied. */
  public void delete(byte[] key, int keyFrom, int keyLength) {
    assert keyLength <= Limits.MAX_KEY_BYTES : keyLength;
    bytes.varint32(family).u8(EntryKind.DELETE.code()).sized(key, keyFrom, keyLength);
    count++;
  }

  /**
   * Returns whether an entry of these lengths, in bytes, fits below {@link Limits#MAX_BATCH_BYTES}.
   */
  public boolean hasRoomFor(int keyLength, int valueLength) {
    return (long) bytes.length() + MAX_FRAME_BYTES + keyLength + valueLength
        <= Limits.MAX_BATCH_BYTES;
  }

  /** Returns the number of entries. */
  public int count() {
    return count;
  }

  /** Returns whether every entry deletes a key or a range. */
  public boolean deletesOnly() {
    return values == 0;
  }

  /** Returns the encoded entries, <em>lent until the next change</em>. */
  public ByteSink bytes() {
    return bytes;
  }

  /**
   * Removes all entries and returns to the default family.
   *
   * @param maxKeptBytes bytes of memory that the batch may keep for reuse
   */
  public void clear(int maxKeptBytes) {
    bytes.clear(maxKeptBytes);
    count = 0;
    values = 0;
    family = 0;
  }

  /** Resets a reader to before the first entry. */
  public void read(EntryBatchReader reader) {
    reader.reset("a batch", 0, bytes.array(), 0, bytes.length());
  }
}
