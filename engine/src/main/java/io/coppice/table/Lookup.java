// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Bytes;
import io.coppice.entry.Kind;
import io.coppice.io.ReadBatch;

/**
 * The memory of a point lookup and its result. Made once and used for any number of lookups in any
 * tables, by one thread at a time; a lookup allocates nothing.
 */
public final class Lookup {

  final BlockBuffer buffer = new BlockBuffer();
  final BlockCursor cursor = new BlockCursor();

  private boolean sharing;

  /** The table and the block on which the cursor stands, if blocks are shared; else null. */
  private Table held;

  private int heldBlock;

  /** The block that was read last. */
  int block;

  /** Null if blocks are read when they are asked for. */
  BlocksAhead ahead;

  /** Reads blocks one by one; null if they are read as anybody reads the file. */
  ReadBatch alone;

  private long blocksRead;
  private long bytesRead;

  /**
   * From now on a block that was read serves the following lookups too, if they fall into it: for
   * many keys in order. A version that names the tables must be leased until {@link #endSharing}.
   */
  public void beginSharing() {
    sharing = true;
  }

  /** Every lookup reads its blocks again. */
  public void endSharing() {
    sharing = false;
    held = null;
  }

  /** From now on takes blocks from there that are there; null for nowhere. */
  public void takeFrom(BlocksAhead blocks) {
    ahead = blocks;
  }

  /** From now on reads by this what is not read at once with others. */
  public void readAloneBy(ReadBatch batch) {
    alone = batch;
  }

  /** True if a block that was read must stay what it is until another one is. */
  boolean shares() {
    return sharing;
  }

  boolean holds(Table table, int block) {
    return held == table && heldBlock == block;
  }

  /** Says that a block is about to be read. */
  void drop() {
    held = null;
  }

  /** Says that a block was read and verified. */
  void hold(Table table, int block) {
    this.block = block;
    if (sharing) {
      held = table;
      heldBlock = block;
    }
  }

  /** Says that a block was copied out of its file. */
  void count(int bytes) {
    blocksRead++;
    bytesRead += bytes;
  }

  /** Blocks copied out of files since this was made. */
  public long blocksRead() {
    return blocksRead;
  }

  /** Bytes of these blocks, as they are stored. */
  public long bytesRead() {
    return bytesRead;
  }

  /** The sequence number of the entry found. */
  public long sequence() {
    return cursor.sequence();
  }

  /** What the entry found does. */
  public Kind kind() {
    return cursor.kind();
  }

  /** The array that holds the value found; <em>lent until the next lookup</em>. */
  public byte[] valueArray() {
    return cursor.valueArray();
  }

  /** The position of the first byte of the value found. */
  public int valueOffset() {
    return cursor.valueOffset();
  }

  /** The length of the value found; 0 for a deletion. */
  public int valueLength() {
    return cursor.valueLength();
  }

  /** A copy of the value found. */
  public byte[] value() {
    return Bytes.copy(valueArray(), valueOffset(), valueLength());
  }
}
