// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.ClosedException;
import io.coppice.base.Limits;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;

/**
 * Walks a table block by block, each one copied and verified first. Lends out of its own copy. A
 * move that throws leaves it unpositioned.
 */
final class TableCursor implements EntryCursor {

  private final Table table;
  private final TableIndex index;
  private final BlockBuffer buffer = new BlockBuffer();
  private final BlockCursor cursor = new BlockCursor();
  private int block;
  private boolean closed;

  TableCursor(Table table) {
    this.table = table;
    this.index = table.index();
  }

  @Override
  public boolean valid() {
    return cursor.valid();
  }

  @Override
  public void first() {
    cursor.clear();
    if (index.blocks() > 0) {
      load(0);
      cursor.first();
    }
  }

  @Override
  public void last() {
    cursor.clear();
    if (index.blocks() > 0) {
      load(index.blocks() - 1);
      cursor.last();
    }
  }

  @Override
  public void seek(byte[] key, int offset, int length) {
    seekEntry(key, offset, length, Limits.MAX_SEQUENCE);
  }

  @Override
  public void seekForPrev(byte[] key, int offset, int length) {
    // No sequence number is below 0, so this is the first entry of a larger key.
    seekEntry(key, offset, length, -1);
    if (cursor.valid()) {
      prev();
    } else {
      last();
    }
  }

  private void seekEntry(byte[] key, int offset, int length, long sequence) {
    int candidate = index.search(key, offset, length);
    cursor.clear();
    while (candidate < index.blocks()) {
      load(candidate++);
      cursor.seek(key, offset, length, sequence);
      if (cursor.valid()) {
        return;
      }
    }
  }

  @Override
  public void next() {
    assert valid();
    cursor.next();
    if (!cursor.valid() && block + 1 < index.blocks()) {
      load(block + 1);
      cursor.first();
    }
  }

  @Override
  public void prev() {
    assert valid();
    cursor.prev();
    if (!cursor.valid() && block > 0) {
      load(block - 1);
      cursor.last();
    }
  }

  private void load(int wanted) {
    if (closed) {
      throw new ClosedException("a cursor of " + table);
    }
    block = wanted;
    table.load(index, wanted, buffer, cursor);
  }

  @Override
  public byte[] keyArray() {
    return cursor.keyArray();
  }

  @Override
  public int keyOffset() {
    return cursor.keyOffset();
  }

  @Override
  public int keyLength() {
    return cursor.keyLength();
  }

  @Override
  public long sequence() {
    return cursor.sequence();
  }

  @Override
  public Kind kind() {
    return cursor.kind();
  }

  @Override
  public byte[] valueArray() {
    return cursor.valueArray();
  }

  @Override
  public int valueOffset() {
    return cursor.valueOffset();
  }

  @Override
  public int valueLength() {
    return cursor.valueLength();
  }

  @Override
  public void close() {
    closed = true;
    cursor.clear();
  }
}
