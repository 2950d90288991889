// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryKind;
import io.coppice.io.ReadBatch;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCursor;

/**
 * Reusable memory of point lookups, and the result of the last one. One thread at a time uses it
 * for any number of lookups in any tables; a lookup allocates nothing.
 */
public final class TableLookup {

  final BlockBuffer buffer = new BlockBuffer();
  final BlockCursor cursor = new BlockCursor();

  private boolean sharing;

  /** Table of the block under the cursor while blocks are shared between lookups; else null. */
  private Table held;

  private int heldBlock;

  /** Block that was read last. */
  int block;

  /** Prefetch to take blocks from; null if each block is read when it is needed. */
  BlockPrefetch ahead;

  /** Batch that reads single blocks; null for ordinary reads of the file. */
  ReadBatch singleReads;

  private long blocksRead;
  private long bytesRead;

  /**
   * Lets the following lookups reuse the current block if they fall into it, for sorted keys. The
   * caller holds a lease on a version that names the tables until {@link #endSharing}.
   */
  public void beginSharing() {
    sharing = true;
  }

  /** Ends {@link #beginSharing}, so that every lookup reads its blocks again. */
  public void endSharing() {
    sharing = false;
    held = null;
  }

  /** Sets the prefetch that supplies blocks to the following lookups; null for none. */
  public void takeFrom(BlockPrefetch blocks) {
    ahead = blocks;
  }

  /** Sets the batch that carries out single reads; the caller closes it. */
  public void readAloneBy(ReadBatch batch) {
    singleReads = batch;
  }

  /** Returns whether the current block must stay unchanged until another block is read. */
  boolean shares() {
    return sharing;
  }

  boolean holds(Table table, int block) {
    return held == table && heldBlock == block;
  }

  /** Detaches the current block, because another one is about to be read. */
  void drop() {
    held = null;
  }

  /** Records that a block was read and verified. */
  void noteRead(Table table, int block) {
    this.block = block;
    if (sharing) {
      held = table;
      heldBlock = block;
    }
  }

  /**
   * Counts a block that was copied out of its file.
   *
   * @param bytes its length on disk
   */
  void count(int bytes) {
    blocksRead++;
    bytesRead += bytes;
  }

  /**
   * Returns the number of blocks copied out of files by single reads since this object was created.
   * Blocks of a prefetch or the cache do not count.
   */
  public long blocksRead() {
    return blocksRead;
  }

  /** Returns the bytes on disk of the blocks that {@link #blocksRead} counts. */
  public long bytesRead() {
    return bytesRead;
  }

  /**
   * Returns the sequence number of the entry found. Like all accessors below, it requires that the
   * last lookup found one.
   */
  public long sequence() {
    return cursor.sequence();
  }

  /** Returns the kind of the entry found. */
  public EntryKind kind() {
    return cursor.kind();
  }

  /** Returns the array with the value found; <em>valid until the next lookup</em>. */
  public byte[] valueArray() {
    return cursor.valueArray();
  }

  /** Returns the index of the first byte of the value found. */
  public int valueOffset() {
    return cursor.valueOffset();
  }

  /** Returns the length of the value found; 0 for a tombstone. */
  public int valueLength() {
    return cursor.valueLength();
  }

  /** Returns a copy of the value found. */
  public byte[] value() {
    return Bytes.copy(valueArray(), valueOffset(), valueLength());
  }
}
