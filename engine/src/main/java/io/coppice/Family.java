// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.NameText;
import io.coppice.base.StoreException;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.read.Reader;
import io.coppice.write.Precondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A named key space of a store: an ordered map of its own, with a compaction policy of its own,
 * that shares log, memory and merge threads with the others. Batches may span families, and
 * snapshots see all of them at one moment. Safe to share between threads.
 *
 * <pre>{@code
 * Family users = store.family("users");
 * users.put(key, value);
 * store.write(new WriteBatch().put(users, key, value).delete(other));
 * }</pre>
 *
 * <p>Ownership of bytes, limits and exceptions are those that {@link Store} states. A handle needs
 * no closing. Once its family was dropped every method throws {@link ClosedException}, {@link
 * #name()} apart; cursors that were open then go on.
 */
public final class Family {

  private final Store store;
  private final FamilyParts parts;

  Family(Store store, FamilyParts parts) {
    this.store = store;
    this.parts = parts;
  }

  /** The name, which is unique in its store. */
  public String name() {
    return parts.name();
  }

  /**
   * Sets the value of a key, with the durability of the options. The bytes are read before this
   * returns and never kept.
   */
  public void put(byte[] key, byte[] value) {
    write(store.singleBatch().put(this, key, value));
  }

  /**
   * As {@link #put(byte[], byte[])}, from position to limit of each buffer, which do not move. The
   * bytes are read before this returns and never kept.
   */
  public void put(ByteBuffer key, ByteBuffer value) {
    write(store.singleBatch().put(this, key, value));
  }

  /**
   * Removes a key, which need not exist, with the durability of the options. The bytes are read
   * before this returns and never kept.
   */
  public void delete(byte[] key) {
    write(store.singleBatch().delete(this, key));
  }

  /**
   * As {@link #delete(byte[])}, from position to limit of the buffer, which does not move. The
   * bytes are read before this returns and never kept.
   */
  public void delete(ByteBuffer key) {
    write(store.singleBatch().delete(this, key));
  }

  /** A batch of the thread outlives the store, which it must not keep. */
  private void write(WriteBatch single) {
    try {
      store.write(single);
    } finally {
      single.clear();
    }
  }

  /**
   * Removes all keys from one on, inclusive, and before another, with the durability of the
   * options. It costs as much as one delete, however many keys there are. The bytes are read before
   * this returns and never kept.
   *
   * @throws IllegalArgumentException if the first does not sort before the second
   */
  public void deleteRange(byte[] from, byte[] to) {
    store.checkOpen(parts);
    write(store.singleBatch().deleteRange(this, from, to));
  }

  /**
   * Changes the value of a key by the family's merge operator, without reading it. The bytes are
   * read before this returns and never kept.
   *
   * @throws IllegalArgumentException if the store was opened without a merge operator for it
   */
  public void merge(byte[] key, byte[] operand) {
    store.checkOpen(parts);
    write(store.singleBatch().merge(this, key, operand));
  }

  /**
   * Sets the value of a key for so long: then the key is absent, in snapshots too. A merge of an
   * operand onto the value does not make it last longer. The bytes are read before this returns and
   * never kept.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public void put(byte[] key, byte[] value, Duration timeToLive) {
    store.checkOpen(parts);
    Instant end = WriteBatch.end(store.parts().clock().millis(), timeToLive);
    write(store.singleBatch().putUntil(this, key, value, end));
  }

  /**
   * As the longer form, with the durability of the options. The bytes are read before this returns
   * and never kept.
   */
  public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] update) {
    return compareAndSet(key, expected, update, store.options().durability());
  }

  /**
   * Changes the value of a key if it is what is expected; nothing that any other writer does falls
   * between the comparison and the change. The arrays are read before this returns and never kept.
   * Fails as {@link Store#write(WriteBatch, Durability)} does.
   *
   * @param expected the present value, or null if the key must be absent
   * @param update the new value, or null to remove the key
   * @return false if the value was another; nothing was written then
   * @throws CorruptionException if the present value cannot be read; nothing was written then
   */
  public boolean compareAndSet(
      byte[] key, byte @Nullable [] expected, byte @Nullable [] update, Durability durability) {
    Objects.requireNonNull(durability, "durability");
    WriteBatch batch = store.singleBatch();
    if (update == null) {
      batch.delete(this, key);
    } else {
      batch.put(this, key, update);
    }
    BooleanSupplier holds = () -> Arrays.equals(get(key), expected);
    try {
      // What is not so now need not wait for its turn to fail.
      return holds.getAsBoolean()
          && store
              .parts()
              .writes()
              .commitIf(batch.entries(), durability, new Precondition(key, holds));
    } finally {
      batch.clear();
    }
  }

  /** The value of a key, as a copy that is yours; null if the key is absent. */
  public byte @Nullable [] get(byte[] key) {
    return get(key, Reader.NEWEST);
  }

  /**
   * As {@link #get(byte[])}, from position to limit of the key, which does not move. A copy that is
   * yours.
   */
  public byte @Nullable [] get(ByteBuffer key) {
    return parts.reads().get(key, Reader.NEWEST);
  }

  byte @Nullable [] get(byte[] key, long sequence) {
    return parts.reads().get(key, sequence);
  }

  /**
   * Copies the value of a key into a buffer of yours, from its position on, if it fits up to its
   * limit; position and limit do not move. If it does not fit nothing is copied. Allocates nothing.
   *
   * @return the length of the value, fitting or not; -1 if the key is absent
   * @throws java.nio.ReadOnlyBufferException if the buffer is read-only and the value would fit
   */
  public int getInto(byte[] key, ByteBuffer target) {
    return parts.reads().getInto(key, Reader.NEWEST, target);
  }

  /**
   * As {@link #getInto(byte[], ByteBuffer)}, from position to limit of the key, which does not
   * move. The bytes are read before this returns and never kept.
   */
  public int getInto(ByteBuffer key, ByteBuffer target) {
    return parts.reads().getInto(key, Reader.NEWEST, target);
  }

  /**
   * The values of many keys as they are at one moment: a list in the order of the keys,
   * unmodifiable, with null where a key is absent. The values are copies that are yours. Cheaper
   * than as many single lookups, the more so the closer the keys lie together; they may come in any
   * order and repeat.
   */
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    return parts.reads().getAll(keys, Reader.NEWEST);
  }

  Reads reads() {
    return parts.reads();
  }

  /** A cursor over the keys of a range as they are now. */
  public Cursor cursor(KeyRange range) {
    return cursor(range, Reader.NEWEST);
  }

  Cursor cursor(KeyRange range, long sequence) {
    Reader.View view = parts.reader().view(sequence, range.from(), range.to());
    try {
      return new Cursor(view.cursor(), view.release(), store.handles());
    } catch (RuntimeException | Error e) {
      Cursor.closing(view.cursor(), view.release()).run();
      throw e;
    }
  }

  /**
   * Flushes the store, then merges everything of this family into one run as {@link Store#compact}
   * does, and returns when it is done. The family's policy waits meanwhile. If the thread is
   * interrupted this returns at once, with the interrupt still set; what was merged by then stays
   * merged.
   */
  public void compact() throws StoreException {
    store.checkOpen(parts);
    store.compact(List.of(parts));
    store.checkOpen(parts);
  }

  /**
   * The compaction policy that decides now, as text, every option named: also what was tuned by
   * JMX, and the rung that {@code adaptive} has chosen, which hold until the store is closed.
   */
  public String policy() {
    store.checkOpen(parts);
    return store.parts().families().inForce(number()).toString();
  }

  /**
   * Lets another compaction policy decide from now on, and after reopening unless the options say
   * otherwise. Merges under way end at their next table; what lies there is not rewritten for it.
   *
   * @param text such as {@code leveled,fanout=8}
   * @throws InvalidOptionsException naming every fault of the text; nothing was changed
   */
  public void policy(String text) {
    store.checkOpen(parts);
    PolicySpec policy = spec(text, store.options());
    store.beginCall();
    try {
      store.parts().policy(parts, policy);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the policy of " + NameText.quoted(name()) + " could not be changed", e);
    } finally {
      store.endCall();
    }
  }

  static PolicySpec spec(String text, StoreOptions options) {
    try {
      return options.spec(Objects.requireNonNull(text, "policyText"));
    } catch (PolicySpecException e) {
      throw new InvalidOptionsException(e.errors());
    }
  }

  /** The figures of now; cheap enough for every second. */
  public FamilyStats stats() {
    return store.stats(parts);
  }

  FamilyParts parts() {
    return parts;
  }

  Store store() {
    return store;
  }

  int number() {
    return parts.number();
  }
}
