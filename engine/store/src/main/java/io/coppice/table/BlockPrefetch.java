// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.io.ReadBatch;
import java.util.Arrays;

/**
 * Prefetch of blocks of several tables that a thread is about to read: one batch reads all of them.
 * The first lookup of a block waits for that block and for half of the reads after it. Blocks are
 * requested in order and each wait costs two thread switches, so this saves waits.
 *
 * <p>One thread uses an instance again and again; after the first use it allocates nothing. The
 * tables must stay open until {@link #clear}. A read error is reported only to the caller that asks
 * for that block.
 */
public final class BlockPrefetch {

  private Table[] tables;
  private int[] blocks;

  /** Whether a lookup has asked for the block, by index of the read. */
  private boolean[] asked;

  /** Whether the read also covers the next block, by index of the read. */
  private boolean[] pairs;

  private ReadBatch batch;
  private int size;
  private int requested;

  /** Index below which every requested read has ended. A read from this index on needs a wait. */
  private int awaited;

  private long bytes;

  /** Creates an empty prefetch. */
  public BlockPrefetch() {}

  /**
   * Adds a block, unless it is already there or the batch is full. Called before {@link #request}.
   */
  public void add(Table table, int block) {
    add(table, block, false);
  }

  /**
   * Adds a block, and the block after it if requested.
   *
   * @param pair whether the next block is read too; it must exist
   */
  void add(Table table, int block, boolean pair) {
    if (tables == null) {
      tables = new Table[ReadBatch.MAX_READS];
      blocks = new int[ReadBatch.MAX_READS];
      asked = new boolean[ReadBatch.MAX_READS];
      pairs = new boolean[ReadBatch.MAX_READS];
    }
    if (size < ReadBatch.MAX_READS && !holds(table, block)) {
      tables[size] = table;
      blocks[size] = block;
      pairs[size] = pair;
      asked[size++] = false;
    }
  }

  /**
   * Returns the number of reads added since the last {@link #clear}. The read of a block together
   * with the next one counts once.
   */
  public int size() {
    return size;
  }

  /** Returns whether the batch is full. */
  public boolean full() {
    return size == ReadBatch.MAX_READS;
  }

  /** Returns whether a block was added since the last {@link #clear}. */
  public boolean holds(Table table, int block) {
    return place(table, block) >= 0;
  }

  private int place(Table table, int block) {
    for (int i = size - 1; i >= 0; i--) {
      if (tables[i] == table && blocks[i] == block) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Starts the reads of all added blocks without waiting for them. A block that is alone is dropped
   * instead, because an ordinary read by the thread itself costs less processor time.
   *
   * @param empty batch that carries out the reads; it belongs to this object until {@link #clear}
   */
  public void request(ReadBatch empty) {
    if (size < 2) {
      clear();
      return;
    }
    batch = empty;
    while (requested < size) {
      int count = pairs[requested] ? 2 : 1;
      int read = tables[requested].request(batch, blocks[requested], count);
      assert read == requested : read + " is not " + requested;
      bytes += tables[requested].blockBytes(blocks[requested], count);
      requested++;
    }
    batch.submit();
  }

  /**
   * Returns the number of reads started since the last {@link #clear}. The read of a block together
   * with the next one counts once.
   */
  public int requested() {
    return requested;
  }

  /** Returns the bytes on disk of the blocks requested since the last {@link #clear}. */
  public long bytes() {
    return bytes;
  }

  /** Returns the number of reads started since the last {@link #clear} that no lookup has used. */
  public int unasked() {
    int count = 0;
    for (int i = 0; i < requested; i++) {
      count += asked[i] ? 0 : 1;
    }
    return count;
  }

  ReadBatch batch() {
    return batch;
  }

  /** Returns whether a read also covers the block after its own. */
  boolean isPair(int read) {
    return pairs[read];
  }

  /**
   * Returns the index of the read that covers a block, after waiting for it; -1 if the block was
   * not requested.
   */
  int read(Table table, int block) {
    if (requested == 0) {
      return -1;
    }
    int place = place(table, block);
    if (place >= 0) {
      asked[place] = true;
      if (place >= awaited) {
        awaited = place + (requested - place + 1) / 2;
        batch.awaitAll(-1L >>> Long.SIZE - awaited & -1L << place);
      }
    }
    return place;
  }

  /**
   * Abandons outstanding reads without waiting, and removes all blocks. The batch returns to its
   * owner.
   */
  public void clear() {
    if (size > 0) {
      Arrays.fill(tables, 0, size, null);
    }
    size = 0;
    requested = 0;
    awaited = 0;
    bytes = 0;
    if (batch != null) {
      batch.clear();
      batch = null;
    }
  }
}
