// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.read.VisibleCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Objects;

/**
 * Walks the keys of a range in unsigned byte order, forward and backward, over one unchanging view
 * of the store. Starts unpositioned. One thread at a time may use it. It must be closed, since it
 * keeps the tables and memtables of its view; one that is forgotten is closed when the garbage
 * collector finds it, and reported in the log. Every method but {@link #close} throws {@link
 * io.coppice.base.ClosedException} once it or its store is closed.
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

  /** Its monitor is held while the view is used, since closing the store closes it too. */
  private final OpenHandles.Handle handle;

  private final LentView keyView = new LentView();
  private final LentView valueView = new LentView();

  Cursor(VisibleCursor visible, Runnable release, OpenHandles handles) {
    this.visible = visible;
    this.handle = handles.add(this, OpenHandles.What.CURSOR, closing(visible, release));
  }

  static Runnable closing(VisibleCursor visible, Runnable release) {
    return () -> {
      try {
        visible.close();
      } finally {
        release.run();
      }
    };
  }

  /** True if the cursor stands on a key. */
  public boolean valid() {
    synchronized (handle) {
      handle.check();
      return visible.valid();
    }
  }

  /** Moves to the first key of the range. */
  public void first() {
    synchronized (handle) {
      startMove();
      visible.first();
    }
  }

  /** Moves to the last key of the range. */
  public void last() {
    synchronized (handle) {
      startMove();
      visible.last();
    }
  }

  /**
   * Moves to the first key of the range at or after the given one, which is read before this
   * returns and never kept.
   */
  public void seek(byte[] key) {
    Objects.requireNonNull(key, "key");
    synchronized (handle) {
      startMove();
      visible.seek(key);
    }
  }

  /**
   * Moves to the last key of the range at or before the given one, which is read before this
   * returns and never kept.
   */
  public void seekForPrev(byte[] key) {
    Objects.requireNonNull(key, "key");
    synchronized (handle) {
      startMove();
      visible.seekForPrev(key);
    }
  }

  /**
   * As {@link #seek(byte[])}, from position to limit of the key, which does not move and is read
   * before this returns, never kept.
   */
  public void seek(ByteBuffer key) {
    seek(BufferBytes.copy(key));
  }

  /**
   * As {@link #seekForPrev(byte[])}, from position to limit of the key, which does not move and is
   * read before this returns, never kept.
   */
  public void seekForPrev(ByteBuffer key) {
    seekForPrev(BufferBytes.copy(key));
  }

  /**
   * Moves to the next key.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public void next() {
    synchronized (handle) {
      checkValid();
      startMove();
      visible.next();
    }
  }

  /**
   * Moves to the previous key.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public void prev() {
    synchronized (handle) {
      checkValid();
      startMove();
      visible.prev();
    }
  }

  /**
   * The key, as a copy that is yours.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public byte[] key() {
    synchronized (handle) {
      checkValid();
      int from = visible.keyOffset();
      return Arrays.copyOfRange(visible.keyArray(), from, from + visible.keyLength());
    }
  }

  /**
   * The value, as a copy that is yours.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public byte[] value() {
    synchronized (handle) {
      checkValid();
      int from = visible.valueOffset();
      return Arrays.copyOfRange(visible.valueArray(), from, from + visible.valueLength());
    }
  }

  /**
   * The key, from position to limit of a read-only buffer that is lent until the next move or close
   * of the cursor or the next call of this method. Its bytes may be anything afterwards; with
   * assertions on they are overwritten then.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public ByteBuffer keyView() {
    synchronized (handle) {
      checkValid();
      return keyView.of(visible.keyArray(), visible.keyOffset(), visible.keyLength());
    }
  }

  /**
   * The value, from position to limit of a read-only buffer that is lent until the next move or
   * close of the cursor or the next call of this method. Its bytes may be anything afterwards; with
   * assertions on they are overwritten then.
   *
   * @throws NoSuchElementException if the cursor stands on no key
   */
  public ByteBuffer valueView() {
    synchronized (handle) {
      checkValid();
      return valueView.of(visible.valueArray(), visible.valueOffset(), visible.valueLength());
    }
  }

  /** Gives back what it holds, after a call in progress. Idempotent. */
  @Override
  public void close() {
    synchronized (handle) {
      expire();
      handle.close();
    }
  }

  private void startMove() {
    handle.check();
    expire();
  }

  private void expire() {
    keyView.expire();
    valueView.expire();
  }

  private void checkValid() {
    handle.check();
    if (!visible.valid()) {
      throw new NoSuchElementException(
          "the cursor stands on no key; ask valid() before next, prev, key and value");
    }
  }
}
