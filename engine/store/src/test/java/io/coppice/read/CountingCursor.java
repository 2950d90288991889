// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.ForwardingCursor;

/** Counts the moves of a cursor. */
final class CountingCursor extends ForwardingCursor {
  int moves;

  CountingCursor(EntryCursor inner) {
    super(inner);
  }

  @Override
  public void first() {
    moves++;
    super.first();
  }

  @Override
  public void last() {
    moves++;
    super.last();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    moves++;
    super.seek(key, offset, length, sequence);
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    moves++;
    super.seekBefore(key, offset, length, sequence);
  }

  @Override
  public void next() {
    moves++;
    super.next();
  }

  @Override
  public void prev() {
    moves++;
    super.prev();
  }
}
