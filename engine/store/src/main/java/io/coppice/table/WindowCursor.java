// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.ForwardingCursor;

/**
 * Cursor restricted to the keys inside a window {@code (low, high]} of an inner cursor. It owns the
 * inner cursor and shares its arrays. Used by one thread at a time.
 */
public final class WindowCursor extends ForwardingCursor {

  private final KeyWindow window;
  private boolean valid;

  private WindowCursor(EntryCursor inner, KeyWindow window) {
    super(inner);
    this.window = window;
  }

  /**
   * Returns the cursor restricted to the window, which owns it, or the cursor itself if the window
   * is unbounded.
   */
  public static EntryCursor of(EntryCursor inner, KeyWindow window) {
    return window.equals(KeyWindow.ALL) ? inner : new WindowCursor(inner, window);
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public void first() {
    valid = false;
    if (window.low() == null) {
      inner.first();
    } else {
      // The low bound itself is outside.
      inner.seek(window.low(), 0, window.low().length, BEHIND_VERSIONS);
    }
    checkHigh();
  }

  @Override
  public void last() {
    valid = false;
    if (window.high() == null) {
      inner.last();
    } else {
      inner.seekForPrev(window.high(), 0, window.high().length);
    }
    checkLow();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    if (!window.isAboveLow(key, offset, length)) {
      first();
      return;
    }
    valid = false;
    inner.seek(key, offset, length, sequence);
    checkHigh();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    if (!window.isWithinHigh(key, offset, length)) {
      last();
      return;
    }
    valid = false;
    inner.seekBefore(key, offset, length, sequence);
    checkLow();
  }

  @Override
  public void next() {
    assert valid;
    valid = false;
    inner.next();
    checkHigh();
  }

  @Override
  public void prev() {
    assert valid;
    valid = false;
    inner.prev();
    checkLow();
  }

  private void checkHigh() {
    valid =
        inner.valid()
            && window.isWithinHigh(inner.keyArray(), inner.keyOffset(), inner.keyLength());
  }

  private void checkLow() {
    valid =
        inner.valid() && window.isAboveLow(inner.keyArray(), inner.keyOffset(), inner.keyLength());
  }

  @Override
  public void close() {
    valid = false;
    super.close();
  }
}
