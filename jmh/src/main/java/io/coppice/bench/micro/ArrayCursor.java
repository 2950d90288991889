// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import java.util.List;

/** Cursor over keys in order, which moves only forward. All entries have the same value. */
final class ArrayCursor implements EntryCursor {

  private final List<byte[]> keys;
  private final byte[] value;
  private final long sequence;
  private int at = -1;

  ArrayCursor(List<byte[]> keys, byte[] value, long sequence) {
    this.keys = keys;
    this.value = value;
    this.sequence = sequence;
  }

  @Override
  public boolean valid() {
    return at >= 0 && at < keys.size();
  }

  @Override
  public void first() {
    at = 0;
  }

  @Override
  public void last() {
    throw new UnsupportedOperationException("forward only");
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    throw new UnsupportedOperationException("from the first key only");
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    throw new UnsupportedOperationException("forward only");
  }

  @Override
  public void next() {
    at++;
  }

  @Override
  public void prev() {
    throw new UnsupportedOperationException("forward only");
  }

  @Override
  public byte[] keyArray() {
    return keys.get(at);
  }

  @Override
  public int keyOffset() {
    return 0;
  }

  @Override
  public int keyLength() {
    return keys.get(at).length;
  }

  @Override
  public long sequence() {
    return sequence;
  }

  @Override
  public EntryKind kind() {
    return EntryKind.PUT;
  }

  @Override
  public byte[] valueArray() {
    return value;
  }

  @Override
  public int valueOffset() {
    return 0;
  }

  @Override
  public int valueLength() {
    return value.length;
  }

  @Override
  public void close() {
    at = -1;
  }
}
