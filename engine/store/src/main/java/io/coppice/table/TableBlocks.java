// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCursor;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.ReadaheadBuffer;
import io.coppice.table.block.TableIndex;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.cache.CacheAdmission;

/**
 * Blocks of an open table. Each method brings one block into a buffer, verified and decompressed,
 * and sets a cursor on it, unpositioned. The methods differ in where the block comes from:
 *
 * <pre>
 * load        file                                   merges and checks
 * loadCached  block cache, else file                 lookups, first blocks of a cursor
 * loadFirst   the same, perhaps with the next block  a cursor that moves to a key
 * loadAhead   readahead buffer, else file            a cursor that scans
 * take        a read of a batch                      reads of several blocks at once
 * </pre>
 *
 * <p>Safe to share between threads.
 */
final class TableBlocks {

  private static final int ALL_GO_ON = 1 << 10;

  /** Binary logarithm of the number of moves over which {@link #goingOn} averages. */
  private static final int GOING_ON_SHIFT = 3;

  /**
   * A move to a key reads two blocks at once if at least one cursor in this many continues into the
   * next block. The second block costs one page more and saves a read of four pages.
   */
  private static final int PAIR_PAYS_ONE_IN = 4;

  /**
   * Largest size in bytes of two blocks read at once: a buffer of a ring holds this many bytes. A
   * block next to a large value is therefore read alone.
   */
  private static final int MAX_PAIR_BYTES = 16 << 10;

  private final TableFile opened;
  private final Disk.InputFile file;
  private final long number;
  private final Codecs codecs;
  private final BlockCache cache;

  /**
   * Recent share of cursors that continued into the block after the one that they moved to, from 0
   * to {@link #ALL_GO_ON}. Concurrent updates may get lost.
   */
  private int goingOn;

  TableBlocks(TableFile opened, long number, Codecs codecs, BlockCache cache) {
    this.opened = opened;
    this.file = opened.file();
    this.number = number;
    this.codecs = codecs;
    this.cache = cache;
  }

  TableFile file() {
    return opened;
  }

  /** Returns whether a block is probably in memory. The estimate costs no system call. */
  boolean likelyInMemory(TableIndex index, int block) {
    long offset = index.offset(block);
    // A page's bit is cheaper to check than the cache.
    return file.likelyInMemory(offset, index.length(block))
        || (opened.caching() != CacheAdmission.NONE && cache.contains(number, offset));
  }

  /** Records whether a cursor that moved to a key continued into the next block before it left. */
  void recordContinued(boolean wentOn) {
    int share = goingOn;
    int next = share + ((wentOn ? ALL_GO_ON - share : -share) >> GOING_ON_SHIFT);
    if (next != share) {
      goingOn = next;
    }
  }

  /**
   * Returns whether a cursor that moves to a block probably needs the next block too, so that both
   * are read at once.
   */
  boolean readsPairs(TableIndex index, int block) {
    return goingOn >= ALL_GO_ON / PAIR_PAYS_ONE_IN
        && block + 1 < index.blocks()
        && index.offset(block + 2) - index.offset(block) <= MAX_PAIR_BYTES;
  }

  /**
   * Loads a block like {@link #load}, from the block cache if the table's blocks are admitted
   * there. A block missing in the cache is added.
   *
   * @return whether the block was read from the file
   */
  boolean loadCached(
      TableIndex index, int block, ReadBatch alone, BlockBuffer buffer, BlockCursor cursor) {
    long offset = index.offset(block);
    CacheAdmission caching = opened.caching();
    if (caching == CacheAdmission.NONE) {
      load(index, block, alone, buffer, cursor);
      return true;
    }
    // Before the page, which may have been evicted since it was believed to be in memory.
    int length = cache.get(number, offset, buffer);
    if (length >= 0) {
      cursor.reset(file.name(), offset, buffer, length);
      return false;
    }
    boolean admitted =
        caching == CacheAdmission.ALL || !file.likelyInMemory(offset, index.length(block));
    length = load(index, block, alone, buffer, cursor);
    if (admitted) {
      cache.put(number, offset, buffer.array(), length);
    }
    return true;
  }

  /**
   * Loads a block from the file, and waits for that. All methods share the exceptions of {@link
   * BlockBuffer#readBlock}; the cursor is detached then.
   *
   * @return the block's length in bytes, decompressed and without the trailer
   */
  int load(TableIndex index, int block, BlockBuffer buffer, BlockCursor cursor) {
    return load(index, block, null, buffer, cursor);
  }

  /**
   * Loads a block like {@link #load}.
   *
   * @param alone batch that carries out the read; null for an ordinary read of the file
   */
  private int load(
      TableIndex index, int block, ReadBatch alone, BlockBuffer buffer, BlockCursor cursor) {
    long offset = index.offset(block);
    cursor.clear();
    int length = buffer.readBlock(file, alone, number, offset, index.length(block), codecs);
    cursor.reset(file.name(), offset, buffer, length);
    return length;
  }

  /**
   * Loads a block like {@link #load}, for a scan: from the readahead buffer, which is filled if it
   * lacks the block. A mapped block in memory is loaded directly, because readahead saves nothing
   * there.
   */
  void loadAhead(
      TableIndex index,
      int block,
      boolean forward,
      ReadaheadBuffer readahead,
      BlockBuffer buffer,
      BlockCursor cursor) {
    long offset = index.offset(block);
    int stored = index.length(block);
    if (!readahead.holds(index, block)
        && ((file.mapped() && file.likelyInMemory(offset, stored))
            || !readahead.read(file, index, block, forward))) {
      load(index, block, buffer, cursor);
      return;
    }
    cursor.clear();
    int length = buffer.readBlock(readahead, file, number, offset, stored, codecs);
    cursor.reset(file.name(), offset, buffer, length);
  }

  /**
   * Loads a block like {@link #loadCached}, for a cursor that moves to a key. If cursors often
   * continue, one read also brings the next block. A separate second read directly after the first
   * would look like a sequential scan to the kernel, whose readahead would then evict other pages.
   */
  void loadFirst(
      TableIndex index,
      int block,
      ReadaheadBuffer readahead,
      BlockBuffer buffer,
      BlockCursor cursor) {
    long offset = index.offset(block);
    if (!readsPairs(index, block)
        || (file.mapped() && file.likelyInMemory(offset, index.length(block)))) {
      loadCached(index, block, null, buffer, cursor);
      return;
    }
    CacheAdmission caching = opened.caching();
    int length = caching == CacheAdmission.NONE ? -1 : cache.get(number, offset, buffer);
    if (length >= 0) {
      cursor.reset(file.name(), offset, buffer, length);
    } else if (readahead.readPair(file, index, block)) {
      restoreFirst(index, block, readahead, buffer, cursor);
    } else {
      loadCached(index, block, null, buffer, cursor);
    }
  }

  /**
   * Takes a block from a read of two blocks, like {@link #take}; the second block stays in the
   * readahead buffer.
   */
  void takePair(
      ReadBatch batch,
      int read,
      TableIndex index,
      int block,
      ReadaheadBuffer readahead,
      BlockBuffer buffer,
      BlockCursor cursor) {
    batch.await(1L << read);
    if (readahead.takePair(batch, read, index, block)) {
      restoreFirst(index, block, readahead, buffer, cursor);
    } else {
      loadCached(index, block, null, buffer, cursor);
    }
  }

  private void restoreFirst(
      TableIndex index,
      int block,
      ReadaheadBuffer readahead,
      BlockBuffer buffer,
      BlockCursor cursor) {
    long offset = index.offset(block);
    cursor.clear();
    int length = buffer.readBlock(readahead, file, number, offset, index.length(block), codecs);
    cursor.reset(file.name(), offset, buffer, length);
    if (opened.caching() != CacheAdmission.NONE) {
      cache.put(number, offset, buffer.array(), length);
    }
  }

  /**
   * Takes a block from a read in a batch, after waiting for that read, and offers it to the block
   * cache.
   *
   * @param lent whether the buffer needs the block only until the next use of the batch
   */
  void take(
      ReadBatch batch,
      int read,
      boolean lent,
      TableIndex index,
      int block,
      BlockBuffer buffer,
      BlockCursor cursor) {
    long offset = index.offset(block);
    cursor.clear();
    int length =
        buffer.takeBlock(batch, read, lent, file, number, offset, index.length(block), codecs);
    if (opened.caching() != CacheAdmission.NONE) {
      cache.put(number, offset, buffer.array(), length);
    }
    cursor.reset(file.name(), offset, buffer, length);
  }
}
