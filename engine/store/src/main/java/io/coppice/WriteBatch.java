// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.Limits;
import io.coppice.base.bytes.NameText;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryKind;
import io.coppice.entry.Expiry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * List of puts, deletes and merges that take effect atomically, in the order of addition. A batch
 * may span families of one store; writes that name no family go to the default one. Keys and values
 * are copied when added. A batch may be written more than once, and reused after {@link #clear()}.
 * Not safe to share between threads.
 */
public final class WriteBatch {

  private static final int KEPT_BYTES = 64 << 10;

  /**
   * Number of copies of a value that a flush, a merge or a recovery may hold on the heap at once.
   */
  private static final int HEAP_COPIES = 5;

  /** Length in bytes of the longest value that this JVM can flush and recover. */
  private static final long HEAP_VALUE_BYTES = Runtime.getRuntime().maxMemory() / HEAP_COPIES;

  private final EntryBatch batch = new EntryBatch();

  /** Number of range deletions in the batch. */
  private int ranges;

  private final List<Integer> merged = new ArrayList<>();

  /** Store of the named families, or null if none is named. */
  private @Nullable Store store;

  /** Creates an empty batch. */
  public WriteBatch() {}

  /**
   * Adds a put of a value. The bytes are copied.
   *
   * @throws IllegalArgumentException if the key exceeds 65,535 bytes, the value 256 MiB or a fifth
   *     of the largest heap, or the batch some 512 MiB; nothing was added
   */
  public WriteBatch put(byte[] key, byte[] value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    check(key.length, value.length);
    batch.put(key, 0, key.length, value, 0, value.length);
    return this;
  }

  /**
   * Adds a put of the bytes from position to limit of each buffer. Neither moves; the bytes are
   * copied.
   *
   * @throws IllegalArgumentException if a limit of {@link #put(byte[], byte[])} is exceeded;
   *     nothing was added
   */
  public WriteBatch put(ByteBuffer key, ByteBuffer value) {
    check(key.remaining(), value.remaining());
    BufferBytes k = BufferBytes.of(key);
    BufferBytes v = BufferBytes.of(value);
    batch.put(k.array(), k.from(), k.length(), v.array(), v.from(), v.length());
    return this;
  }

  /**
   * Adds a delete of a key, which may be absent. The bytes are copied.
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
   * Adds a delete of the key from position to limit of the buffer. Neither moves; the bytes are
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
   * Adds a range deletion. The cost is that of one delete, regardless of the number of keys. The
   * bytes are copied.
   *
   * @param from first key of the range, inclusive
   * @param to end of the range, exclusive
   * @throws IllegalArgumentException if a key is over the limit, {@code from} does not sort before
   *     {@code to}, or the batch has 32,768 range deletions already
   */
  public WriteBatch deleteRange(byte[] from, byte[] to) {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    check(to.length, 0);
    check(from.length, to.length);
    if (Arrays.compareUnsigned(from, to) >= 0) {
      throw new IllegalArgumentException(
          "the first key of the range (%s bytes) must sort before its end (%s bytes)"
              .formatted(from.length, to.length));
    }
    if (ranges == Limits.MAX_BATCH_RANGES) {
      throw new IllegalArgumentException(
          "the batch would exceed "
              + Limits.MAX_BATCH_RANGES
              + " range deletions; write it in parts");
    }
    batch.add(EntryKind.DELETE_RANGE, from, 0, from.length, to, 0, to.length);
    ranges++;
    return this;
  }

  /**
   * Adds a merge operand for a key. The bytes are copied.
   *
   * @throws IllegalArgumentException if key or operand is over the limit
   */
  public WriteBatch merge(byte[] key, byte[] operand) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(operand, "operand");
    check(key.length, operand.length);
    batch.add(EntryKind.MERGE, key, 0, key.length, operand, 0, operand.length);
    if (!merged.contains(batch.family())) {
      merged.add(batch.family());
    }
    return this;
  }

  /**
   * Adds a put that expires: from the given instant on the key is absent. The bytes are copied.
   *
   * @param end in past or future, precise to milliseconds; {@link Instant#MAX} means never
   * @throws IllegalArgumentException if key or value is over the limit, or the end is before 1970
   */
  public WriteBatch putUntil(byte[] key, byte[] value, Instant end) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    if (end.isBefore(Instant.EPOCH)) {
      throw new IllegalArgumentException("the end (" + end + ") must not be before 1970");
    }
    boolean never = end.isAfter(Instant.ofEpochMilli(Long.MAX_VALUE));
    long endMillis = never ? Long.MAX_VALUE : end.toEpochMilli();
    check(key.length, value.length + Expiry.BYTES);
    byte[] whole = new byte[Expiry.BYTES + value.length];
    Expiry.put(whole, 0, endMillis);
    System.arraycopy(value, 0, whole, Expiry.BYTES, value.length);
    batch.add(EntryKind.EXPIRING, key, 0, key.length, whole, 0, whole.length);
    return this;
  }

  /**
   * Adds a put that expires after a time, counted from this call by the system clock. The bytes are
   * copied.
   *
   * @throws IllegalArgumentException as {@link #putUntil}, or if the time is negative
   */
  public WriteBatch put(byte[] key, byte[] value, Duration timeToLive) {
    return putUntil(key, value, end(System.currentTimeMillis(), timeToLive));
  }

  /**
   * Returns the end of a time to live, at most {@code Long.MAX_VALUE} milliseconds after 1970.
   *
   * @param fromMillis start of the time, in milliseconds since 1970
   */
  static Instant end(long fromMillis, Duration timeToLive) {
    if (timeToLive.isNegative()) {
      throw new IllegalArgumentException("timeToLive (" + timeToLive + ") must not be negative");
    }
    Duration most = Duration.ofMillis(Long.MAX_VALUE - fromMillis);
    return Instant.ofEpochMilli(
        timeToLive.compareTo(most) >= 0 ? Long.MAX_VALUE : fromMillis + timeToLive.toMillis());
  }

  /**
   * Adds a put in a family. The bytes are copied.
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
   * Adds a put in a family, of the bytes from position to limit of each buffer. Neither moves; the
   * bytes are copied.
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
   * Adds a delete in a family. The bytes are copied.
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
   * Adds a delete in a family, of the key from position to limit of the buffer. Neither moves; the
   * bytes are copied.
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

  /**
   * Adds a range deletion in a family, as {@link #deleteRange(byte[], byte[])} does. The family
   * must be of the same store as those named before. The bytes are copied.
   */
  public WriteBatch deleteRange(Family family, byte[] from, byte[] to) {
    into(family);
    try {
      return deleteRange(from, to);
    } finally {
      batch.in(0);
    }
  }

  /**
   * Adds a merge operand in a family, as {@link #merge(byte[], byte[])} does. The family must be of
   * the same store as those named before. The bytes are copied.
   */
  public WriteBatch merge(Family family, byte[] key, byte[] operand) {
    into(family);
    try {
      return merge(key, operand);
    } finally {
      batch.in(0);
    }
  }

  /**
   * Adds an expiring put in a family, as {@link #putUntil(byte[], byte[], Instant)} does. The
   * family must be of the same store as those named before. The bytes are copied.
   */
  public WriteBatch putUntil(Family family, byte[] key, byte[] value, Instant end) {
    into(family);
    try {
      return putUntil(key, value, end);
    } finally {
      batch.in(0);
    }
  }

  /**
   * Adds an expiring put in a family, as {@link #put(byte[], byte[], Duration)} does. The family
   * must be of the same store as those named before. The bytes are copied.
   */
  public WriteBatch put(Family family, byte[] key, byte[] value, Duration timeToLive) {
    into(family);
    try {
      return put(key, value, timeToLive);
    } finally {
      batch.in(0);
    }
  }

  /** Selects the family of the entries added next. */
  private void into(Family family) {
    if (store != null && store != family.store()) {
      throw new IllegalArgumentException(
          "family "
              + NameText.quoted(family.name())
              + " is one of another store than those named before");
    }
    store = family.store();
    batch.in(family.number());
  }

  /** Returns the store whose families the batch names, or null if it names none. */
  @Nullable Store store() {
    return store;
  }

  /** Returns the numbers of the families that get merge operands from the batch. */
  List<Integer> merged() {
    return merged;
  }

  /** Returns the number of writes in the batch. */
  public int count() {
    return batch.count();
  }

  /** Removes all writes, so that the batch can be reused. */
  public void clear() {
    batch.clear(KEPT_BYTES);
    store = null;
    ranges = 0;
    merged.clear();
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
          "a value of %s bytes; at most %s are allowed"
              .formatted(valueLength, Limits.MAX_VALUE_BYTES));
    }
    if (valueLength > HEAP_VALUE_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              "a value of %s bytes needs up to %s times as much heap to be flushed and"
                  + " recovered, and the heap has %s bytes; raise -Xmx or write smaller"
                  + " values",
              valueLength, HEAP_COPIES, Runtime.getRuntime().maxMemory()));
    }
    if (!batch.hasRoomFor(keyLength, valueLength)) {
      throw new IllegalArgumentException(
          "the batch would exceed " + Limits.MAX_BATCH_BYTES + " bytes; write it in parts");
    }
  }
}
