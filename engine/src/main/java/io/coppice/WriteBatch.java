// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.Limits;
import io.coppice.entry.EntryBatch;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Puts and deletes that take effect together or not at all, in the order in which they were added;
 * in one family or in several of one store. Those that name no family are in the default one. Keys
 * and values are copied when added. Not safe to share between threads; may be written more than
 * once and reused after {@link #clear()}.
 */
public final class WriteBatch {

  private static final int KEPT_BYTES = 64 << 10;

  private final EntryBatch batch = new EntryBatch();

  /** Of the families named, or null. */
  private Store store;

  /** Makes an empty batch. */
  public WriteBatch() {}

  /**
   * Adds a put.
   *
   * @throws IllegalArgumentException if key or value is over the limit
   */
  public WriteBatch put(byte[] key, byte[] value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    check(key.length, value.length);
    batch.put(key, 0, key.length, value, 0, value.length);
    return this;
  }

  /**
   * As {@link #put(byte[], byte[])}, from position to limit of each buffer, which do not move and
   * are copied.
   *
   * @throws IllegalArgumentException if key or value is over the limit
   */
  public WriteBatch put(ByteBuffer key, ByteBuffer value) {
    check(key.remaining(), value.remaining());
    BufferBytes k = BufferBytes.of(key);
    BufferBytes v = BufferBytes.of(value);
    batch.put(k.array(), k.from(), k.length(), v.array(), v.from(), v.length());
    return this;
  }

  /**
   * Adds a delete; the key need not exist.
   *
   * @throws IllegalArgumentException if the key is over the limit
   */
  public WriteBatch delete(byte[] key) {
    Objects.requireNonNull(key, "key");
    check(key.length, 0);
    batch.delete(key, 0, key.length);
    return this;
  }

  /**
   * As {@link #delete(byte[])}, from position to limit of the buffer, which does not move and is
   * copied.
   *
   * @throws IllegalArgumentException if the key is over the limit
   */
  public WriteBatch delete(ByteBuffer key) {
    check(key.remaining(), 0);
    BufferBytes k = BufferBytes.of(key);
    batch.delete(k.array(), k.from(), k.length());
    return this;
  }

  /**
   * As {@link #put(byte[], byte[])}, in a family.
   *
   * @throws IllegalArgumentException if key or value is over the limit, or the batch names a family
   *     of another store
   */
  public WriteBatch put(Family family, byte[] key, byte[] value) {
    into(family);
    try {
      return put(key, value);
    } finally {
      batch.in(0);
    }
  }

  /**
   * As {@link #put(ByteBuffer, ByteBuffer)}, in a family.
   *
   * @throws IllegalArgumentException if key or value is over the limit, or the batch names a family
   *     of another store
   */
  public WriteBatch put(Family family, ByteBuffer key, ByteBuffer value) {
    into(family);
    try {
      return put(key, value);
    } finally {
      batch.in(0);
    }
  }

  /**
   * As {@link #delete(byte[])}, in a family.
   *
   * @throws IllegalArgumentException if the key is over the limit, or the batch names a family of
   *     another store
   */
  public WriteBatch delete(Family family, byte[] key) {
    into(family);
    try {
      return delete(key);
    } finally {
      batch.in(0);
    }
  }

  /**
   * As {@link #delete(ByteBuffer)}, in a family.
   *
   * @throws IllegalArgumentException if the key is over the limit, or the batch names a family of
   *     another store
   */
  public WriteBatch delete(Family family, ByteBuffer key) {
    into(family);
    try {
      return delete(key);
    } finally {
      batch.in(0);
    }
  }

  /** Entries added from now on are of this family. */
  private void into(Family family) {
    if (store != null && store != family.store()) {
      throw new IllegalArgumentException(
          "family '" + family.name() + "' is one of another store than those named before");
    }
    store = family.store();
    batch.in(family.number());
  }

  /** The store whose families the batch names, or null if it names none. */
  Store store() {
    return store;
  }

  /** Puts and deletes added so far. */
  public int count() {
    return batch.count();
  }

  /** Empties the batch for reuse. */
  public void clear() {
    batch.clear(KEPT_BYTES);
    store = null;
  }

  EntryBatch entries() {
    return batch;
  }

  private void check(int keyLength, int valueLength) {
    if (keyLength > Limits.MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "a key of " + keyLength + " bytes; at most " + Limits.MAX_KEY_BYTES + " are allowed");
    }
    if (valueLength > Limits.MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "a value of "
              + valueLength
              + " bytes; at most "
              + Limits.MAX_VALUE_BYTES
              + " are allowed");
    }
    if (!batch.hasRoomFor(keyLength, valueLength)) {
      throw new IllegalArgumentException(
          "the batch would exceed " + Limits.MAX_BATCH_BYTES + " bytes; write it in parts");
    }
  }
}
