// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.bytes.NameText;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Unchanging state of the store, over all families, from the moment the snapshot was taken. Safe to
 * share between threads. Close it: while it is open, merges keep the versions that it sees. The
 * garbage collector closes a forgotten snapshot, and the store logs a warning. {@link Store} states
 * the contract of the read methods.
 */
public final class Snapshot implements AutoCloseable {

  private final Family main;
  private final long sequence;
  private final OpenHandles.Handle handle;

  Snapshot(Family main, long sequence, Runnable release, OpenHandles handles) {
    this.main = main;
    this.sequence = sequence;
    this.handle = handles.add(this, OpenHandles.What.SNAPSHOT, release);
  }

  /**
   * Returns a copy of the value of a key, or null if the key is absent.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public byte @Nullable [] get(byte[] key) {
    check();
    byte[] value = main.get(key, sequence);
    // After a close a merge may drop the version of the snapshot, and the value may be another one.
    check();
    return value;
  }

  /** Returns a copy of the value of a key, as {@link Store#get(ByteBuffer)} does. */
  public byte @Nullable [] get(ByteBuffer key) {
    check();
    byte[] value = main.reads().get(key, sequence);
    check();
    return value;
  }

  /**
   * Copies the value of a key into the caller's buffer, as {@link Store#getInto(byte[],
   * ByteBuffer)} does.
   *
   * @return the length of the value, whether it fits or not; -1 if the key is absent
   * @throws ClosedException if the snapshot or the store is closed; the buffer may have changed
   */
  public int getInto(byte[] key, ByteBuffer target) {
    check();
    int length = main.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * Copies the value of a key into the caller's buffer, as {@link Store#getInto(ByteBuffer,
   * ByteBuffer)} does.
   */
  public int getInto(ByteBuffer key, ByteBuffer target) {
    check();
    int length = main.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * Returns copies of the values of many keys, as {@link Store#getAll} does.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    check();
    List<byte[]> values = main.reads().getAll(keys, sequence);
    check();
    return values;
  }

  /**
   * Returns a copy of the value of a key of a family, or null if the key is absent.
   *
   * @throws ClosedException if the snapshot or the store is closed, or the family was dropped, even
   *     after the snapshot was taken
   * @throws IllegalArgumentException if the family is one of another store
   */
  public byte @Nullable [] get(Family family, byte[] key) {
    check(family);
    byte[] value = family.get(key, sequence);
    check();
    return value;
  }

  /**
   * Copies the value of a key of a family into the caller's buffer, as {@link #getInto(byte[],
   * ByteBuffer)} does.
   *
   * @throws ClosedException if the snapshot or the store is closed, or the family was dropped, even
   *     after the snapshot was taken
   * @throws IllegalArgumentException if the family is one of another store
   */
  public int getInto(Family family, byte[] key, ByteBuffer target) {
    check(family);
    int length = family.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * Returns copies of the values of many keys of a family, as {@link #getAll(List)} does.
   *
   * @throws ClosedException if the snapshot or the store is closed, or the family was dropped, even
   *     after the snapshot was taken
   * @throws IllegalArgumentException if the family is one of another store
   */
  public List<byte[]> getAll(Family family, List<byte[]> keys) {
    check(family);
    List<byte[]> values = family.reads().getAll(keys, sequence);
    check();
    return values;
  }

  /**
   * Returns a cursor over a range of the default family; it may outlive the snapshot.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public Cursor cursor(KeyRange range) {
    return cursor(main, range);
  }

  /**
   * Returns a cursor over a range of a family; it may outlive the snapshot and the family.
   *
   * @throws ClosedException if the snapshot or the store is closed, or the family was dropped, even
   *     after the snapshot was taken
   * @throws IllegalArgumentException if the family is one of another store
   */
  public Cursor cursor(Family family, KeyRange range) {
    check(family);
    Cursor cursor = family.cursor(range, sequence);
    try {
      check();
    } catch (RuntimeException | Error e) {
      cursor.close();
      throw e;
    }
    return cursor;
  }

  /** Closes the snapshot, so that merges may drop its versions. Idempotent. */
  @Override
  public void close() {
    handle.close();
  }

  private void check(Family family) {
    check();
    if (family.store() != main.store()) {
      throw new IllegalArgumentException(
          "family "
              + NameText.quoted(family.name())
              + " is one of another store than the snapshot");
    }
  }

  private void check() {
    handle.check();
  }
}
