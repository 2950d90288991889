// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.ByteSink;
import io.coppice.base.Limits;

/**
 * Entries in the order in which they were added, in the bytes that the log stores. Their sequence
 * numbers follow from the number of the first, one by one. Not safe to share between threads.
 *
 * <pre>
 * family   varint, 0 for the default one
 * kind     u8, {@link Kind#code}
 * key      varint length, bytes
 * value    varint length, bytes; of all but a DELETE. Of a DELETE_RANGE it is the end, exclusive
 * </pre>
 */
public final class EntryBatch {

  /** Kind, and the varints of family, key length and value length at their longest. */
  private static final int MAX_FRAME_BYTES = 1 + 5 + 3 + 5;

  private static final int FIRST_CAPACITY_BYTES = 256;

  private final ByteSink bytes = new ByteSink(FIRST_CAPACITY_BYTES);
  private int count;

  /** Entries that hold a value or an operand. */
  private int values;

  private int family;

  /** An empty batch for the default family. */
  public EntryBatch() {}

  /** Entries added from now on are of this family, by its number. */
  public EntryBatch in(int number) {
    family = number;
    return this;
  }

  /** The family of the entries added now. */
  public int family() {
    return family;
  }

  /** Adds a value for a key; both are copied. Their lengths must be within {@link Limits}. */
  public void put(
      byte[] key, int keyFrom, int keyLength, byte[] value, int valueFrom, int valueLength) {
    add(Kind.PUT, key, keyFrom, keyLength, value, valueFrom, valueLength);
  }

  /** Adds an entry of a kind that has a value; as {@link #put}. */
  public void add(
      Kind kind,
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
    values += kind == Kind.DELETE_RANGE ? 0 : 1;
  }

  /** Adds the deletion of a key, which is copied. */
  public void delete(byte[] key, int keyFrom, int keyLength) {
    assert keyLength <= Limits.MAX_KEY_BYTES : keyLength;
    bytes.varint32(family).u8(Kind.DELETE.code()).sized(key, keyFrom, keyLength);
    count++;
  }

  /** True if an entry of these lengths may be added without exceeding the largest batch. */
  public boolean hasRoomFor(int keyLength, int valueLength) {
    return (long) bytes.length() + MAX_FRAME_BYTES + keyLength + valueLength
        <= Limits.MAX_BATCH_BYTES;
  }

  /** Entries added. */
  public int count() {
    return count;
  }

  /** Returns true if every entry deletes a key or a range. */
  public boolean deletesOnly() {
    return values == 0;
  }

  /** The encoded entries, <em>lent until the next change</em>. */
  public ByteSink bytes() {
    return bytes;
  }

  /** Forgets all entries, and goes back to the default family; keeps at most this much memory. */
  public void clear(int maxKeptBytes) {
    bytes.clear(maxKeptBytes);
    count = 0;
    values = 0;
    family = 0;
  }

  /** Starts reading the entries from the first. */
  public void read(EntryBatchReader reader) {
    reader.reset("a batch", 0, bytes.array(), 0, bytes.length());
  }
}
