// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Bytes;
import io.coppice.io.Disk.InputFile;
import io.coppice.io.ReadBatch;
import java.io.IOException;

/**
 * Blocks that follow one another in a table, read at once for one who walks them: private memory of
 * cursors of which one is used at a time, on the heap, at most some 256 KiB if blocks are small.
 * What lies in it is not verified yet; a block is when it is used. Each read takes in twice as much
 * as the one before, up to a limit. Used by one thread at a time.
 */
public final class Stretch {

  /** The first one: little for a scan that ends soon. */
  static final int FIRST_BYTES = 32 << 10;

  /** So much that a call of the system or a wait for the device costs little for each block. */
  static final int MAX_BYTES = 256 << 10;

  private byte[] array = Bytes.EMPTY;

  /** Whose blocks these are; null if there are none. */
  private TableIndex index;

  private long begin;
  private int length;
  private int next = FIRST_BYTES;

  /** Makes an empty one. */
  public Stretch() {}

  /** True if a block of a table lies here. */
  boolean holds(TableIndex index, int block) {
    return this.index == index
        && index.offset(block) >= begin
        && index.offset(block + 1) <= begin + length;
  }

  /**
   * Reads a block and those that follow it, as many as there are and as fit.
   *
   * @param forward towards the end of the table, or towards its begin
   * @return false if one of them cannot be read, which need not be this one; nothing lies here then
   */
  boolean read(InputFile file, TableIndex index, int block, boolean forward) {
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
    length = count;
    this.index = index;
    next = Math.min(MAX_BYTES, 2 * next);
    return true;
  }

  /** Reads a block and the one behind it; false as above. */
  boolean readPair(InputFile file, TableIndex index, int block) {
    int count = beginPair(index, block);
    try {
      file.read(begin, array, 0, count);
    } catch (IOException e) {
      return false;
    }
    length = count;
    this.index = index;
    return true;
  }

  /** Takes a block and the one behind it out of a read that has ended; false as above. */
  boolean takePair(ReadBatch batch, int read, TableIndex index, int block) {
    int count = beginPair(index, block);
    try {
      batch.take(read, array, 0);
    } catch (IOException e) {
      return false;
    }
    length = count;
    this.index = index;
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

  /** The bytes; those of a block that is held begin at {@link #position}. */
  byte[] array() {
    return array;
  }

  int position(long offset) {
    return (int) (offset - begin);
  }

  /** The next read is a first one again. */
  void begin() {
    next = FIRST_BYTES;
  }

  /** Lets the memory go. */
  public void drop() {
    array = Bytes.EMPTY;
    index = null;
    next = FIRST_BYTES;
  }
}
