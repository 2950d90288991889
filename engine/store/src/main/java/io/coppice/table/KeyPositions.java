// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.table.block.TableIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Positions of keys in the file of a table, estimated from its index alone. */
public final class KeyPositions {

  private KeyPositions() {}

  /**
   * Returns the bytes of the table's file that hold keys up to a key, inclusive, from the index
   * alone. The result is exact at the end of a block; inside a block, half of it counts. It never
   * decreases as the key rises.
   *
   * @param key below the table's largest
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
   * Returns ascending keys about {@code bytesApart} bytes apart, strictly inside a window and below
   * the table's largest key. They are ends of blocks, from the index alone.
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
   * Returns the first block that can hold keys above a key. No key is between a key and the same
   * key with a zero byte appended.
   */
  private static int blockBehind(TableIndex index, byte[] key) {
    return index.search(Arrays.copyOf(key, key.length + 1), 0, key.length + 1);
  }
}
