// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.bytes.Bytes;
import io.coppice.io.Disk.InputFile;
import io.coppice.io.ReadBatch;
import java.io.IOException;

/**
 * Readahead buffer of a scan: consecutive blocks of a table, read with one call into private heap
 * memory. Several cursors may share a buffer if one of them at a time moves. It holds at most 256
 * KiB unless a single block is larger. Each read is twice as large as the one before, up to that
 * limit. Blocks are verified when they are used, not when they are read. Used by one thread at a
 * time.
 */
public final class ReadaheadBuffer {

  /** Size of the first read in bytes, small for a scan that ends soon. */
  static final int FIRST_BYTES = 32 << 10;

  /**
   * Size of the largest read in bytes; the cost of a system call or device access is then small per
   * block.
   */
  static final int MAX_BYTES = 256 << 10;

  private byte[] array = Bytes.EMPTY;

  /** Index of the table that the blocks belong to; null if the buffer is empty. */
  private TableIndex index;

  private long begin;
  private int length;
  private int next = FIRST_BYTES;

  /** Creates an empty buffer. */
  public ReadaheadBuffer() {}

  /** Returns whether the buffer holds the whole block of a table. */
  public boolean holds(TableIndex index, int block) {
    return this.index == index
        && index.offset(block) >= begin
        && index.offset(block + 1) <= begin + length;
  }

  /**
   * Reads a block and as many adjacent blocks as exist and fit, and waits for that.
   *
   * @param forward whether to add the blocks after it or those before it
   * @return false if any of them cannot be read, possibly another than the requested one; the
   *     buffer is then empty
   */
  public boolean read(InputFile file, TableIndex index, int block, boolean forward) {
    int from = block;
    int to = block + 1;
    while (forward && to < index.blocks() && fits(index, from, to + 1)) {
      to++;
    }
    while (!forward && from > 0 && fits(index, from - 1, to)) {
      from--;
    }
    this.index = null;
    begin = index.offset(from);
    int count = (int) (index.offset(to) - begin);
    if (array.length < count) {
      array = new byte[Math.max(count, next)];
    }
    try {
      file.read(begin, array, 0, count);
    } catch (IOException e) {
      drop();
      return false;
    }
    next = Math.min(MAX_BYTES, 2 * next);
    return hold(index, count);
  }

  /**
   * Reads a block and the next one; returns false, with an empty buffer, if one of them cannot be
   * read.
   */
  public boolean readPair(InputFile file, TableIndex index, int block) {
    int count = beginPair(index, block);
    try {
      file.read(begin, array, 0, count);
      return hold(index, count);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Takes a block and the next one from a finished read; returns false, with an empty buffer, if
   * that read failed.
   */
  public boolean takePair(ReadBatch batch, int read, TableIndex index, int block) {
    int count = beginPair(index, block);
    try {
      batch.take(read, array, 0);
      return hold(index, count);
    } catch (IOException e) {
      return false;
    }
  }

  private boolean hold(TableIndex ofTable, int count) {
    length = count;
    index = ofTable;
    return true;
  }

  private int beginPair(TableIndex ofTable, int block) {
    index = null;
    begin = ofTable.offset(block);
    int count = (int) (ofTable.offset(block + 2) - begin);
    if (array.length < count) {
      array = new byte[count];
    }
    return count;
  }

  private boolean fits(TableIndex index, int from, int to) {
    return index.offset(to) - index.offset(from) <= next;
  }

  /** Returns the array; a block that it holds begins at {@link #position}. */
  byte[] array() {
    return array;
  }

  int position(long offset) {
    return (int) (offset - begin);
  }

  /** Makes the next read as small as the first. */
  public void begin() {
    next = FIRST_BYTES;
  }

  /** Releases the buffer's memory; the next read is as small as the first. */
  public void drop() {
    array = Bytes.EMPTY;
    index = null;
    next = FIRST_BYTES;
  }
}
