// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.read.VisibleCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Objects;

/**
 * Walks the keys of a range in unsigned byte order, forward and backward, over one unchanging view
 * of the store. Starts unpositioned. One thread at a time may use it; it must be closed, since it
 * keeps the tables and memtables of its view.
 *
 * <pre>{@code
 * try (Cursor cursor = store.cursor(KeyRange.from(low).to(high))) {
 *   for (cursor.first(); cursor.valid(); cursor.next()) {
 *     use(cursor.key(), cursor.value());
 *   }
 * }
 * }</pre>
 */
public final class Cursor implements AutoCloseable {

  private final VisibleCursor visible;
  private final Runnable release;
  private final OpenHandles.Handle handle;

  Cursor(VisibleCursor visible, Runnable release, OpenHandles handles) {
    this.visible = visible;
    this.release = release;
    this.handle = handles.add(this);
  }

  /** True if the cursor stands on a key. */
  public synchronized boolean valid() {
    check();
    return visible.valid();
  }

  /** Moves to the first key of the range. */
  public synchronized void first() {
    check();
    visible.first();
  }

  /** Moves to the last key of the range. */
  public synchronized void last() {
    check();
    visible.last();
  }

  /** Moves to the first key of the range at or after the given one. */
  public synchronized void seek(byte[] key) {
    check();
    visible.seek(Objects.requireNonNull(key, "key"));
  }

  /** Moves to the last key of the range at or before the given one. */
  public synchronized void seekForPrev(byte[] key) {
    check();
    visible.seekForPrev(Objects.requireNonNull(key, "key"));
  }

  /** As {@link #seek(byte[])}, from position to limit of the key, which does not move. */
  public synchronized void seek(ByteBuffer key) {
    seek(BufferBytes.copy(key));
  }

  /** As {@link #seekForPrev(byte[])}, from position to limit of the key, which does not move. */
  public synchronized void seekForPrev(ByteBuffer key) {
    seekForPrev(BufferBytes.copy(key));
  }

  /**
   * Moves to the next key.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public synchronized void next() {
    checkValid();
    visible.next();
  }

  /**
   * Moves to the previous key.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public synchronized void prev() {
    checkValid();
    visible.prev();
  }

  /**
   * The key, as a copy that is yours.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public synchronized byte[] key() {
    checkValid();
    int from = visible.keyOffset();
    return Arrays.copyOfRange(visible.keyArray(), from, from + visible.keyLength());
  }

  /**
   * The value, as a copy that is yours.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public synchronized byte[] value() {
    checkValid();
    int from = visible.valueOffset();
    return Arrays.copyOfRange(visible.valueArray(), from, from + visible.valueLength());
  }

  /**
   * The key, as a read-only view lent until the next move or close.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public synchronized ByteBuffer keyView() {
    checkValid();
    return view(visible.keyArray(), visible.keyOffset(), visible.keyLength());
  }

  /**
   * The value, as a read-only view lent until the next move or close.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public synchronized ByteBuffer valueView() {
    checkValid();
    return view(visible.valueArray(), visible.valueOffset(), visible.valueLength());
  }

  /** Gives the view back. Idempotent. */
  @Override
  public synchronized void close() {
    if (handle.close()) {
      visible.close();
      release.run();
    }
  }

  private static ByteBuffer view(byte[] array, int offset, int length) {
    return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
  }

  private void check() {
    if (handle.closed()) {
      throw new ClosedException("the cursor");
    }
  }

  private void checkValid() {
    check();
    if (!visible.valid()) {
      throw new NoSuchElementException(
          "the cursor stands on no key; ask valid() before next, prev, key and value");
    }
  }
}
