// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

/**
 * Base class of cursors that wrap another one and show its position and entry unless a subclass
 * changes them. Owns the inner cursor and lends its bytes. Used by one thread at a time.
 */
public abstract class ForwardingCursor implements EntryCursor {

  /** Inner cursor that this one forwards to and closes. */
  protected final EntryCursor inner;

  /** Creates a cursor that owns the inner one. */
  protected ForwardingCursor(EntryCursor inner) {
    this.inner = inner;
  }

  @Override
  public boolean valid() {
    return inner.valid();
  }

  @Override
  public void first() {
    inner.first();
  }

  @Override
  public void last() {
    inner.last();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    inner.seek(key, offset, length, sequence);
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    inner.seekBefore(key, offset, length, sequence);
  }

  @Override
  public void next() {
    inner.next();
  }

  @Override
  public void prev() {
    inner.prev();
  }

  @Override
  public byte[] keyArray() {
    return inner.keyArray();
  }

  @Override
  public int keyOffset() {
    return inner.keyOffset();
  }

  @Override
  public int keyLength() {
    return inner.keyLength();
  }

  @Override
  public long sequence() {
    return inner.sequence();
  }

  @Override
  public EntryKind kind() {
    return inner.kind();
  }

  @Override
  public byte[] valueArray() {
    return inner.valueArray();
  }

  @Override
  public int valueOffset() {
    return inner.valueOffset();
  }

  @Override
  public int valueLength() {
    return inner.valueLength();
  }

  @Override
  public void close() {
    inner.close();
  }
}
