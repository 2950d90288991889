// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.io.ReadBatch;
import java.util.Arrays;

/**
 * Blocks of several tables that are about to be asked for, read at once. Whoever asks then waits
 * for its own, and with it for half of those behind it, as they are asked for in their order and
 * each wait costs two switches between threads. Used again and again by one thread, without
 * allocation after the first time; the tables stay open meanwhile.
 *
 * <p>A failed read is the failure of whoever asks for that block, and of nobody else.
 */
public final class BlocksAhead {

  private Table[] tables;
  private int[] blocks;

  /** Those that somebody has asked for. */
  private boolean[] asked;

  /** Whether each read also brings the next block. */
  private boolean[] pairs;

  private ReadBatch batch;
  private int size;
  private int requested;

  /** Reads in front of this one are known to have ended, as far as they were waited for. */
  private int awaited;

  private long bytes;

  /** Makes an empty one. */
  public BlocksAhead() {}

  /** Adds a block; not if it is there already or there are as many as a batch holds. */
  public void add(Table table, int block) {
    add(table, block, false);
  }

  /**
   * Adds a block, and the next one if asked.
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

  /** How many there are. */
  public int size() {
    return size;
  }

  /** True if no further one is taken in. */
  public boolean full() {
    return size == ReadBatch.MAX_READS;
  }

  /** True if the block was added. */
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
   * Reads all of them. A single one is forgotten, because the thread's own read takes less of the
   * processor.
   *
   * @param empty carries them out; nobody else uses it until {@link #clear}
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

  /** Blocks that were requested. */
  public int requested() {
    return requested;
  }

  /** Bytes of these, as they are stored. */
  public long bytes() {
    return bytes;
  }

  /** Those of them that nobody has asked for. */
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

  /** Returns whether a read brings the block behind with its block. */
  boolean isPair(int read) {
    return pairs[read];
  }

  /** The number of the read that brings a block; -1 if none does. */
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

  /** Gives up what is under way, and forgets all blocks. */
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
