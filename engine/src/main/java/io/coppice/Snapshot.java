// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.NameText;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The store as it was when the snapshot was taken, all its families at one moment. Safe to share
 * between threads. It must be closed: while it is open, merges keep what it sees; one that is
 * forgotten is closed when the garbage collector finds it, and reported in the log.
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
   * The value of a key, as a copy that is yours; null if the key is absent.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public byte @Nullable [] get(byte[] key) {
    check();
    byte[] value = main.get(key, sequence);
    // Once it is closed a merge may drop what it saw, and the value found be another.
    check();
    return value;
  }

  /**
   * As {@link #get(byte[])}, from position to limit of the key, which does not move. The value is a
   * copy that is yours.
   */
  public byte @Nullable [] get(ByteBuffer key) {
    check();
    byte[] value = main.reads().get(key, sequence);
    check();
    return value;
  }

  /**
   * Copies the value of a key into a buffer of yours, as {@link Store#getInto(byte[], ByteBuffer)}
   * does.
   *
   * @return the length of the value, fitting or not; -1 if the key is absent
   * @throws ClosedException if the snapshot or the store is closed; the buffer may have changed
   */
  public int getInto(byte[] key, ByteBuffer target) {
    check();
    int length = main.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * As {@link #getInto(byte[], ByteBuffer)}, from position to limit of the key, which does not
   * move. The bytes are read before this returns and never kept.
   */
  public int getInto(ByteBuffer key, ByteBuffer target) {
    check();
    int length = main.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * The values of many keys, as {@link Store#getAll} gives them: copies that are yours, null where
   * a key is absent.
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
   * As {@link #get(byte[])}, of a family. The value is a copy that is yours.
   *
   * @throws ClosedException also if the family was dropped, be it after the snapshot was taken
   * @throws IllegalArgumentException if the family is one of another store
   */
  public byte @Nullable [] get(Family family, byte[] key) {
    check(family);
    byte[] value = family.get(key, sequence);
    check();
    return value;
  }

  /**
   * As {@link #getInto(byte[], ByteBuffer)}, of a family. The bytes are read before this returns
   * and never kept.
   *
   * @throws ClosedException also if the family was dropped, be it after the snapshot was taken
   * @throws IllegalArgumentException if the family is one of another store
   */
  public int getInto(Family family, byte[] key, ByteBuffer target) {
    check(family);
    int length = family.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * As {@link #getAll(List)}, of a family. The values are copies that are yours.
   *
   * @throws ClosedException also if the family was dropped, be it after the snapshot was taken
   * @throws IllegalArgumentException if the family is one of another store
   */
  public List<byte[]> getAll(Family family, List<byte[]> keys) {
    check(family);
    List<byte[]> values = family.reads().getAll(keys, sequence);
    check();
    return values;
  }

  /**
   * A cursor over a range; it may outlive the snapshot.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public Cursor cursor(KeyRange range) {
    return cursor(main, range);
  }

  /**
   * A cursor over a range of a family; it may outlive the snapshot, and the family.
   *
   * @throws ClosedException if the snapshot or the store is closed, or the family was dropped, be
   *     it after the snapshot was taken
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

  /** Gives the snapshot back. Idempotent. */
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
