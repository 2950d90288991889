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

/** Estimate of when the values of a table expire, from a sample of its blocks. */
public final class ExpiryEstimate {

  /** Number of times that {@link #eighths} returns, one per part of a table. */
  public static final int PARTS = 8;

  private static final int MAX_BLOCKS = 16;

  /** Number of bytes read after which {@link #eighths} reads no further block. */
  private static final long MAX_BYTES = 4 << 20;

  private ExpiryEstimate() {}

  /**
   * Returns the expiry times of a table's parts, estimated from the entries of up to 16 blocks at
   * about even distances. At the time at index i, in milliseconds since 1970, (i + 1) eighths of
   * the table's bytes have expired; {@link Long#MAX_VALUE} means never. The last part ends with the
   * last value, although tombstones may remain.
   *
   * @throws CorruptionException if index or blocks are damaged
   */
  public static long[] eighths(Table table) {
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
