// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.StoreException;
import io.coppice.base.bytes.NameText;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.read.FamilyReader;
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
 * Named key space of a store: an ordered map with its own compaction policy that shares log, memory
 * and merge threads with the other families. Batches may span families, and a snapshot shows all of
 * them as of one moment. Safe to share between threads.
 *
 * <pre>{@code
 * Family users = store.family("users");
 * users.put(key, value);
 * store.write(new WriteBatch().put(users, key, value).delete(other));
 * }</pre>
 *
 * <p>{@link Store} states the contract of the data methods: ownership of bytes, limits and
 * exceptions. A handle needs no closing. Once the family is dropped, every method but {@link
 * #name()} throws {@link ClosedException}; open cursors continue.
 */
public final class Family {

  private final Store store;
  private final FamilyParts parts;

  Family(Store store, FamilyParts parts) {
    this.store = store;
    this.parts = parts;
  }

  /** Returns the name, which is unique in the store. */
  public String name() {
    return parts.name();
  }

  /** Sets the value of a key, as {@link Store#put(byte[], byte[])} does. The bytes are copied. */
  public void put(byte[] key, byte[] value) {
    write(store.singleBatch().put(this, key, value));
  }

  /**
   * Sets the value of a key, as {@link Store#put(ByteBuffer, ByteBuffer)} does. The bytes are
   * copied.
   */
  public void put(ByteBuffer key, ByteBuffer value) {
    write(store.singleBatch().put(this, key, value));
  }

  /** Deletes a key, as {@link Store#delete(byte[])} does. The bytes are copied. */
  public void delete(byte[] key) {
    write(store.singleBatch().delete(this, key));
  }

  /** Deletes a key, as {@link Store#delete(ByteBuffer)} does. The bytes are copied. */
  public void delete(ByteBuffer key) {
    write(store.singleBatch().delete(this, key));
  }

  /**
   * Writes the calling thread's reused batch, then clears it. The batch outlives the store, and its
   * entries would keep the store reachable.
   */
  private void write(WriteBatch single) {
    try {
      store.write(single);
    } finally {
      single.clear();
    }
  }

  /**
   * Deletes all keys of a range, as {@link Store#deleteRange} does. The bytes are copied.
   *
   * @param from first key of the range, inclusive
   * @param to end of the range, exclusive
   * @throws IllegalArgumentException if {@code from} does not sort before {@code to}
   */
  public void deleteRange(byte[] from, byte[] to) {
    store.checkOpen(parts);
    write(store.singleBatch().deleteRange(this, from, to));
  }

  /**
   * Adds an operand for the family's merge operator to a key, without reading its value. The bytes
   * are copied.
   *
   * @throws IllegalArgumentException if the store was opened without a merge operator for the
   *     family
   */
  public void merge(byte[] key, byte[] operand) {
    store.checkOpen(parts);
    write(store.singleBatch().merge(this, key, operand));
  }

  /**
   * Sets the value of a key for a limited time, as {@link Store#put(byte[], byte[], Duration)}
   * does. The bytes are copied.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public void put(byte[] key, byte[] value, Duration timeToLive) {
    store.checkOpen(parts);
    Instant end = WriteBatch.end(store.parts().clock.millis(), timeToLive);
    write(store.singleBatch().putUntil(this, key, value, end));
  }

  /**
   * Changes a key if it has the expected value, with the durability of the options, as {@link
   * Store#compareAndSet(byte[], byte[], byte[], Durability)} does. The bytes are copied.
   */
  public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] update) {
    return compareAndSet(key, expected, update, store.options().durability);
  }

  /**
   * Changes a key atomically if it has the expected value, as {@link Store#compareAndSet(byte[],
   * byte[], byte[], Durability)} does. The bytes are copied.
   *
   * @param expected the present value, or null if the key must be absent
   * @param update the new value, or null to delete the key
   * @return whether the value was the expected one; otherwise nothing was written
   * @throws CorruptionException if the present value is unreadable; nothing was written
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
      // A comparison that fails now saves the wait in the write queue.
      return holds.getAsBoolean()
          && store
              .parts()
              .writes()
              .commitIf(batch.entries(), durability, new Precondition(key, holds));
    } finally {
      batch.clear();
    }
  }

  /** Returns a copy of the value of a key, or null if the key is absent. */
  public byte @Nullable [] get(byte[] key) {
    return get(key, FamilyReader.NEWEST);
  }

  /** Returns a copy of the value of a key, as {@link Store#get(ByteBuffer)} does. */
  public byte @Nullable [] get(ByteBuffer key) {
    return parts.reads().get(key, FamilyReader.NEWEST);
  }

  byte @Nullable [] get(byte[] key, long sequence) {
    return parts.reads().get(key, sequence);
  }

  /**
   * Copies the value of a key into the caller's buffer, as {@link Store#getInto(byte[],
   * ByteBuffer)} does.
   *
   * @return the length of the value, whether it fits or not; -1 if the key is absent
   * @throws java.nio.ReadOnlyBufferException if the buffer is read-only and the value would fit
   */
  public int getInto(byte[] key, ByteBuffer target) {
    return parts.reads().getInto(key, FamilyReader.NEWEST, target);
  }

  /**
   * Copies the value of a key into the caller's buffer, as {@link Store#getInto(ByteBuffer,
   * ByteBuffer)} does.
   */
  public int getInto(ByteBuffer key, ByteBuffer target) {
    return parts.reads().getInto(key, FamilyReader.NEWEST, target);
  }

  /** Returns copies of the values of many keys as of one moment, as {@link Store#getAll} does. */
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    return parts.reads().getAll(keys, FamilyReader.NEWEST);
  }

  Reads reads() {
    return parts.reads();
  }

  /** Returns a cursor over the present keys of a range. The caller closes it. */
  public Cursor cursor(KeyRange range) {
    return cursor(range, FamilyReader.NEWEST);
  }

  Cursor cursor(KeyRange range, long sequence) {
    FamilyReader.View view = parts.reader().view(sequence, range.from(), range.to());
    try {
      return new Cursor(view.cursor(), view.release(), store.handles());
    } catch (RuntimeException | Error e) {
      Cursor.closing(view.cursor(), view.release()).run();
      throw e;
    }
  }

  /**
   * Runs a major compaction of this family, as {@link Store#compact} does: flushes the store, then
   * merges the family into one run. The policy starts no plans until then. If the thread is
   * interrupted, the method returns at once with the interrupt still set; completed merge steps
   * stay. Errors are those of {@link Store#compact}.
   */
  public void compact() throws StoreException {
    store.checkOpen(parts);
    store.compact(List.of(parts));
    store.checkOpen(parts);
  }

  /**
   * Returns the compaction policy in force as text with every option. It includes changes made
   * through JMX and the rung chosen by {@code adaptive}; both last until the store is closed.
   */
  public String policy() {
    store.checkOpen(parts);
    return store.parts().families.inForce(number()).toString();
  }

  /**
   * Changes the compaction policy durably. Options that name another policy replace it on
   * reopening. Running merges stop at their next table; existing tables are not rewritten for the
   * change.
   *
   * @param text such as {@code leveled,fanout=8}
   * @throws InvalidOptionsException naming every fault of the text; nothing was changed
   * @throws io.coppice.base.ReadOnlyException if the store takes no writes
   * @throws UncheckedIOException if the change cannot be written; the policy in force stays
   */
  public void policy(String text) {
    store.checkOpen(parts);
    PolicySpec policy = spec(text, store.options());
    store.beginCall();
    try {
      store.parts().lifecycle.policy(parts, policy);
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

  /** Returns the present statistics of the family; cheap enough to call every second. */
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
