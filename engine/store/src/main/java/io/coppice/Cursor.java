// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.read.VisibleCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Objects;

/**
 * Iterator over the keys of a range, forward and backward in unsigned byte order, on one unchanging
 * view of the store. A new cursor has no position. Only one thread at a time may use it. Close it,
 * since it keeps the tables and memtables of its view. The garbage collector closes a forgotten
 * cursor, and the store logs a warning. Every method but {@link #close} throws {@link
 * io.coppice.base.ClosedException} once the cursor or its store is closed. A move throws {@link
 * io.coppice.base.CorruptionException} at damaged data; the cursor is then at no key.
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

  @GuardedBy("handle")
  private final VisibleCursor visible;

  /**
   * Handle whose monitor guards every use of the view, since closing the store closes the view too.
   */
  private final OpenHandles.Handle handle;

  @GuardedBy("handle")
  private final LentView keyView = new LentView();

  @GuardedBy("handle")
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

  /** Returns whether the cursor is at a key. */
  public boolean valid() {
    synchronized (handle) {
      handle.check();
      return visible.valid();
    }
  }

  /** Moves to the first key of the range. The cursor becomes invalid if there is none. */
  public void first() {
    synchronized (handle) {
      startMove();
      visible.first();
    }
  }

  /** Moves to the last key of the range. The cursor becomes invalid if there is none. */
  public void last() {
    synchronized (handle) {
      startMove();
      visible.last();
    }
  }

  /**
   * Moves to the first key of the range at or after the given one. The cursor becomes invalid if
   * there is none. The array is not kept.
   */
  public void seek(byte[] key) {
    Objects.requireNonNull(key, "key");
    synchronized (handle) {
      startMove();
      visible.seek(key);
    }
  }

  /**
   * Moves to the last key of the range at or before the given one. The cursor becomes invalid if
   * there is none. The array is not kept.
   */
  public void seekForPrev(byte[] key) {
    Objects.requireNonNull(key, "key");
    synchronized (handle) {
      startMove();
      visible.seekForPrev(key);
    }
  }

  /**
   * Moves to the first key of the range at or after the given one, which is the buffer's bytes from
   * position to limit. The cursor becomes invalid if there is none. Position and limit stay. The
   * bytes are copied.
   */
  public void seek(ByteBuffer key) {
    seek(BufferBytes.copy(key));
  }

  /**
   * Moves to the last key of the range at or before the given one, which is the buffer's bytes from
   * position to limit. The cursor becomes invalid if there is none. Position and limit stay. The
   * bytes are copied.
   */
  public void seekForPrev(ByteBuffer key) {
    seekForPrev(BufferBytes.copy(key));
  }

  /**
   * Moves to the next key of the range, or past the last one; the cursor is then no longer {@link
   * #valid}.
   *
   * @throws NoSuchElementException if the cursor is at no key
   */
  public void next() {
    synchronized (handle) {
      checkValid();
      startMove();
      visible.next();
    }
  }

  /**
   * Moves to the previous key of the range, or before the first one; the cursor is then no longer
   * {@link #valid}.
   *
   * @throws NoSuchElementException if the cursor is at no key
   */
  public void prev() {
    synchronized (handle) {
      checkValid();
      startMove();
      visible.prev();
    }
  }

  /**
   * Returns a copy of the key.
   *
   * @throws NoSuchElementException if the cursor is at no key
   */
  public byte[] key() {
    synchronized (handle) {
      checkValid();
      int from = visible.keyOffset();
      return Arrays.copyOfRange(visible.keyArray(), from, from + visible.keyLength());
    }
  }

  /**
   * Returns a copy of the value.
   *
   * @throws NoSuchElementException if the cursor is at no key
   */
  public byte[] value() {
    synchronized (handle) {
      checkValid();
      int from = visible.valueOffset();
      return Arrays.copyOfRange(visible.valueArray(), from, from + visible.valueLength());
    }
  }

  /**
   * Returns a read-only view of the key, from position to limit of a buffer. The bytes are lent
   * until the cursor moves or closes, or this method is called again; afterwards they are
   * undefined. With assertions enabled they are then overwritten.
   *
   * @throws NoSuchElementException if the cursor is at no key
   */
  public ByteBuffer keyView() {
    synchronized (handle) {
      checkValid();
      return keyView.of(visible.keyArray(), visible.keyOffset(), visible.keyLength());
    }
  }

  /**
   * Returns a read-only view of the value, from position to limit of a buffer. The bytes are lent
   * until the cursor moves or closes, or this method is called again; afterwards they are
   * undefined. With assertions enabled they are then overwritten.
   *
   * @throws NoSuchElementException if the cursor is at no key
   */
  public ByteBuffer valueView() {
    synchronized (handle) {
      checkValid();
      return valueView.of(visible.valueArray(), visible.valueOffset(), visible.valueLength());
    }
  }

  /** Waits for a call in progress, then closes the cursor and releases its view. Idempotent. */
  @Override
  public void close() {
    synchronized (handle) {
      expire();
      handle.close();
    }
  }

  @GuardedBy("handle")
  private void startMove() {
    handle.check();
    expire();
  }

  @GuardedBy("handle")
  private void expire() {
    keyView.expire();
    valueView.expire();
  }

  @GuardedBy("handle")
  private void checkValid() {
    handle.check();
    if (!visible.valid()) {
      throw new NoSuchElementException(
          "the cursor is at no key; call next, prev, key and value only while valid() is true");
    }
  }
}
