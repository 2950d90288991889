// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.ClosedException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCursor;
import io.coppice.table.block.ReadaheadBuffer;
import io.coppice.table.block.TableIndex;

/**
 * Cursor over a table that copies and verifies one block at a time. Its keys and values are valid
 * until the next move. A move that throws leaves the cursor unpositioned.
 *
 * <p>Once a cursor continues beyond the first few blocks in one direction, it reads them through
 * the readahead buffer and bypasses the block cache.
 */
final class TableCursor implements EntryCursor {

  /** Number of further blocks that a cursor loads singly before it counts as a scan. */
  private static final int NEAR = 2;

  private final Table table;
  private final TableIndex index;
  private final TableBlocks blocks;

  /**
   * Prefetch of a lookup; null for cursors that bypass the block cache, such as those of merges.
   */
  private final BlockPrefetch ahead;

  private final BlockBuffer buffer = new BlockBuffer();
  private final BlockCursor cursor = new BlockCursor();
  private final ReadaheadBuffer readahead;
  private int block;

  /** Whether the cursor holds the block, verified. */
  private boolean loaded;

  /**
   * Number of consecutive blocks loaded since the last move to a key; negative for backward steps.
   */
  private int run;

  /** Whether the cursor has moved forward to a key and may still need the next block. */
  private boolean moved;

  private boolean closed;

  /**
   * Creates an unpositioned cursor.
   *
   * @param readahead readahead buffer; the caller makes sure that one cursor at a time moves
   */
  TableCursor(Table table, BlockPrefetch ahead, ReadaheadBuffer readahead) {
    this.readahead = readahead;
    this.table = table;
    this.index = table.index();
    this.blocks = table.blocks();
    this.ahead = ahead;
  }

  @Override
  public boolean valid() {
    return cursor.valid();
  }

  @Override
  public void first() {
    if (index.blocks() > 0) {
      jump(0);
      cursor.first();
    }
  }

  @Override
  public void last() {
    if (index.blocks() > 0) {
      jump(index.blocks() - 1);
      cursor.last();
    }
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    int candidate = index.search(key, offset, length);
    readahead.begin();
    while (candidate < index.blocks()) {
      jump(candidate++);
      cursor.seek(key, offset, length, sequence);
      if (cursor.valid()) {
        moved = ahead != null;
        return;
      }
    }
    unload();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    seek(key, offset, length, sequence);
    if (cursor.valid()) {
      prev();
    } else {
      last();
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

  /** Loads the block after or before the current one. */
  private void load(int wanted) {
    boolean forward = wanted > block;
    run = forward ? Math.max(0, run) + 1 : Math.min(0, run) - 1;
    begin(wanted);
    loaded = false;
    if (moved) {
      recordMove(forward);
    }
    if (Math.abs(run) > NEAR || (ahead != null && readahead.holds(index, wanted))) {
      blocks.loadAhead(index, wanted, forward, readahead, buffer, cursor);
    } else if (ahead != null) {
      blocks.loadCached(index, wanted, null, buffer, cursor);
    } else {
      blocks.load(index, wanted, buffer, cursor);
    }
    loaded = true;
  }

  /** Loads any block; the current block only if a batch has read it again. */
  private void jump(int wanted) {
    run = 0;
    if (moved) {
      recordMove(false);
    }
    boolean present = loaded && block == wanted;
    begin(wanted);
    int read = ahead == null ? -1 : ahead.read(table, wanted);
    if (present && read < 0) {
      return;
    }
    unload();
    if (read >= 0 && ahead.isPair(read)) {
      blocks.takePair(ahead.batch(), read, index, wanted, readahead, buffer, cursor);
    } else if (read >= 0) {
      blocks.take(ahead.batch(), read, false, index, wanted, buffer, cursor);
    } else if (ahead != null) {
      blocks.loadFirst(index, wanted, readahead, buffer, cursor);
    } else {
      blocks.load(index, wanted, buffer, cursor);
    }
    loaded = true;
  }

  private void recordMove(boolean wentOn) {
    moved = false;
    blocks.recordContinued(wentOn);
  }

  private void unload() {
    loaded = false;
    cursor.clear();
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
  public EntryKind kind() {
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
    if (moved) {
      recordMove(false);
    }
    closed = true;
    unload();
  }
}
