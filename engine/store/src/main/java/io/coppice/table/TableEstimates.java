// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryKind;
import io.coppice.entry.Expiry;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCursor;
import io.coppice.table.block.TableIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Estimates about the content of a table: positions of keys from its index alone, and the expiry of
 * values from a sample of its blocks.
 */
public final class TableEstimates {

  /** Number of times that {@link #expiryEighths} returns, one per part of a table. */
  public static final int PARTS = 8;

  private static final int MAX_BLOCKS = 16;

  /** Number of bytes read after which {@link #expiryEighths} reads no further block. */
  private static final long MAX_BYTES = 4 << 20;

  private TableEstimates() {}

  /**
   * Returns the bytes on disk of the table that hold keys up to a key, inclusive, from the index
   * alone. The result is exact at the end of a block; inside a block, half of it counts. It never
   * decreases as the key rises.
   *
   * @param key below the table's largest; for a larger one the result is the whole file
   */
  public static long bytesUpTo(Table table, byte[] key) {
    TableIndex index = table.indexAlone();
    int block = index.search(key, 0, key.length);
    int behind = blockBehind(index, key);
    if (block == index.blocks()) {
      return table.meta().bytes();
    }
    return behind > block ? index.offset(behind) : index.offset(block) + index.length(block) / 2;
  }

  /**
   * Returns ascending keys about {@code bytesApart} bytes on disk apart, strictly inside a window
   * and below the table's largest key; an empty list if the window is too small. They are ends of
   * blocks, from the index alone.
   */
  public static List<byte[]> separators(Table table, KeyWindow window, long bytesApart) {
    TableIndex index = table.indexAlone();
    int block = window.low() == null ? 0 : blockBehind(index, window.low());
    int last = index.blocks() - 1;
    byte[] end = table.meta().largestKey();
    if (window.high() != null && Arrays.compareUnsigned(window.high(), end) < 0) {
      end = window.high();
    }
    List<byte[]> keys = new ArrayList<>();
    long taken = 0;
    // The last block is excluded: its end is the end of the table.
    for (; block < last; block++) {
      taken += index.length(block);
      if (taken < bytesApart) {
        continue;
      }
      byte[] key = index.separator(block);
      if (Arrays.compareUnsigned(key, end) >= 0) {
        break;
      }
      if (keys.isEmpty() || !Arrays.equals(keys.get(keys.size() - 1), key)) {
        keys.add(key);
        taken = 0;
      }
    }
    return keys;
  }

  /**
   * Returns the index of the first block that can hold keys above a key; the number of blocks if
   * there is none. No key is between a key and the same key with a zero byte appended.
   */
  private static int blockBehind(TableIndex index, byte[] key) {
    return index.search(Arrays.copyOf(key, key.length + 1), 0, key.length + 1);
  }

  /**
   * Returns the expiry times of a table's parts, estimated from the entries of up to 16 blocks at
   * about even distances. At the time at index i, in milliseconds since 1970, (i + 1) eighths of
   * the table's bytes have expired; {@link Long#MAX_VALUE} means never. The last part ends with the
   * last value, although tombstones may remain.
   *
   * @throws CorruptionException if index or blocks are damaged
   * @throws java.io.UncheckedIOException if they cannot be read
   */
  public static long[] expiryEighths(Table table) {
    TableIndex blocks = table.indexAlone();
    List<long[]> sample = new ArrayList<>();
    long all = 0;
    long values = 0;
    int count = Math.min(MAX_BLOCKS, blocks.blocks());
    BlockBuffer buffer = new BlockBuffer();
    BlockCursor cursor = new BlockCursor();
    long read = 0;
    for (int i = 0; i < count && read < MAX_BYTES; i++) {
      int block = (int) ((long) i * blocks.blocks() / count);
      read += table.blocks().load(blocks, block, buffer, cursor);
      for (cursor.first(); cursor.valid(); cursor.next()) {
        long bytes = (long) cursor.keyLength() + cursor.valueLength();
        all += bytes;
        values += cursor.kind() == EntryKind.DELETE ? 0 : bytes;
        if (cursor.kind() == EntryKind.EXPIRING) {
          long end = Expiry.endMillis(cursor.valueArray(), cursor.valueOffset());
          sample.add(new long[] {end, bytes});
        }
      }
    }
    sample.sort(Comparator.comparingLong(entry -> entry[0]));
    long[] ends = new long[PARTS];
    Arrays.fill(ends, Long.MAX_VALUE);
    int part = 0;
    long ended = 0;
    for (long[] entry : sample) {
      ended += entry[1];
      while (part < PARTS && ended >= all - all / PARTS * (PARTS - 1 - part)) {
        ends[part++] = entry[0];
      }
    }
    if (ended == values && !sample.isEmpty()) {
      // Only tombstones are left then.
      Arrays.fill(ends, part, PARTS, sample.get(sample.size() - 1)[0]);
    }
    return ends;
  }
}
