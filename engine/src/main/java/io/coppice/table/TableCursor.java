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

  /** Null if the block cache is passed by, as merges do. */
  private final BlocksAhead ahead;

  private final BlockBuffer buffer = new BlockBuffer();
  private final BlockCursor cursor = new BlockCursor();
  private int block;
  private boolean closed;

  TableCursor(Table table, BlocksAhead ahead) {
    this.table = table;
    this.index = table.index();
    this.ahead = ahead;
  }

  @Override
  public boolean valid() {
    return cursor.valid();
  }

  @Override
  public void first() {
    cursor.clear();
    if (index.blocks() > 0) {
      jump(0);
      cursor.first();
    }
  }

  @Override
  public void last() {
    cursor.clear();
    if (index.blocks() > 0) {
      jump(index.blocks() - 1);
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
      jump(candidate++);
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

  /** Loads the block beside the present one. */
  private void load(int wanted) {
    begin(wanted);
    table.load(index, wanted, buffer, cursor);
  }

  /** Loads a block anywhere. */
  private void jump(int wanted) {
    begin(wanted);
    int read = ahead == null ? -1 : ahead.read(table, wanted);
    if (read >= 0) {
      table.take(ahead.batch(), read, index, wanted, buffer, cursor);
    } else if (ahead != null) {
      table.loadCached(index, wanted, buffer, cursor);
    } else {
      table.load(index, wanted, buffer, cursor);
    }
  }

  private void begin(int wanted) {
    if (closed) {
      throw new ClosedException("a cursor of " + table);
    }
    block = wanted;
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
