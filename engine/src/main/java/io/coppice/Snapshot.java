// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The store as it was when the snapshot was taken. Safe to share between threads. It must be
 * closed: while it is open, merges keep what it sees; one that is forgotten is closed when the
 * garbage collector finds it, and reported in the log.
 */
public final class Snapshot implements AutoCloseable {

  private final Store store;
  private final long sequence;
  private final OpenHandles.Handle handle;

  Snapshot(Store store, long sequence, Runnable release, OpenHandles handles) {
    this.store = store;
    this.sequence = sequence;
    this.handle = handles.add(this, OpenHandles.What.SNAPSHOT, release);
  }

  /**
   * The value of a key, as a copy that is yours; null if the key is absent.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public byte[] get(byte[] key) {
    check();
    byte[] value = store.get(key, sequence);
    // Once it is closed a merge may drop what it saw, and the value found be another.
    check();
    return value;
  }

  /** As {@link #get(byte[])}, from position to limit of the key, which does not move. */
  public byte[] get(ByteBuffer key) {
    check();
    byte[] value = store.reads().get(key, sequence);
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
    int length = store.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * As {@link #getInto(byte[], ByteBuffer)}, from position to limit of the key, which does not
   * move.
   */
  public int getInto(ByteBuffer key, ByteBuffer target) {
    check();
    int length = store.reads().getInto(key, sequence, target);
    check();
    return length;
  }

  /**
   * The values of many keys, as {@link Store#getAll} gives them: copies that are yours, null where
   * a key is absent.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public List<byte[]> getAll(List<byte[]> keys) {
    check();
    List<byte[]> values = store.reads().getAll(keys, sequence);
    check();
    return values;
  }

  /**
   * A cursor over a range; it may outlive the snapshot.
   *
   * @throws ClosedException if the snapshot or the store is closed
   */
  public Cursor cursor(KeyRange range) {
    check();
    Cursor cursor = store.cursor(range, sequence);
    try {
      check();
    } catch (ClosedException e) {
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

  private void check() {
    handle.check();
  }
}
