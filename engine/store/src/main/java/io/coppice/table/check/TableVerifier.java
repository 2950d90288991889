// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.check;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryKind;
import io.coppice.entry.Expiry;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.table.Table;
import io.coppice.table.TableLayout;
import io.coppice.table.TableMeta;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCursor;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.TableIndex;
import io.coppice.table.cache.BlockCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Verification of a whole table, which continues after a block that is damaged or cannot be read.
 * Used once, by one thread.
 */
public final class TableVerifier {

  private final Table table;
  private final Consumer<CorruptionException> damage;
  private byte[] lastKey;
  private long lastSequence;
  private long entries;
  private long tombstones;
  private long minSequence = Long.MAX_VALUE;
  private long maxSequence;
  private long firstEndMillis = TableLayout.NO_END;
  private byte[] smallestKey;

  private TableVerifier(Table table, Consumer<CorruptionException> damage) {
    this.table = table;
    this.damage = damage;
  }

  /**
   * Opens the table and verifies all checksums, the order of the entries, and that they match the
   * metadata.
   *
   * @param damage receives each fault with file and offset; unreadable bytes are faults too
   * @return the number of readable entries; range deletions count if all blocks are readable, and a
   *     table that cannot be opened has 0
   * @throws IOException if the disk cannot be read
   */
  public static long run(Disk disk, TableMeta meta, Consumer<CorruptionException> damage)
      throws IOException {
    try (Codecs codecs = new Codecs()) {
      MemoryBudget unlimited = MemoryBudget.ofBytes(Long.MAX_VALUE);
      Table table =
          Table.open(disk, meta, unlimited, new OffHeapAllocator(), codecs, BlockCache.OFF);
      try {
        TableVerifier check = new TableVerifier(table, damage);
        check.blocks(disk);
        return check.entries;
      } finally {
        table.close();
      }
    } catch (CorruptionException e) {
      damage.accept(e);
    } catch (IOException e) {
      damage.accept(disk.unread(FileKind.TABLE.fileName(meta.number()), 0, e));
    }
    return 0;
  }

  private void blocks(Disk disk) throws IOException {
    TableIndex index = table.index();
    BlockBuffer buffer = new BlockBuffer();
    BlockCursor cursor = new BlockCursor();
    boolean whole = true;
    for (int block = 0; block < index.blocks(); block++) {
      try {
        table.load(index, block, buffer, cursor);
        for (cursor.first(); cursor.valid(); cursor.next()) {
          entry(cursor, index.offset(block));
        }
      } catch (CorruptionException e) {
        whole = false;
        damage.accept(e);
      } catch (UncheckedIOException e) {
        whole = false;
        damage.accept(disk.unread(table.fileName(), index.offset(block), e.getCause()));
      }
    }
    if (whole) {
      compareWithFacts();
    }
  }

  private void entry(BlockCursor cursor, long offset) {
    byte[] key = Bytes.copy(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength());
    long sequence = cursor.sequence();
    if (lastKey == null) {
      smallestKey = key;
    } else {
      int order = Arrays.compareUnsigned(lastKey, key);
      if (order > 0 || (order == 0 && lastSequence <= sequence)) {
        throw new CorruptionException(
            table.fileName(), offset, "entry " + entries + " is not behind its predecessor");
      }
    }
    lastKey = key;
    lastSequence = sequence;
    entries++;
    tombstones += cursor.kind() == EntryKind.DELETE ? 1 : 0;
    if (cursor.kind() == EntryKind.EXPIRING) {
      long end = Expiry.endMillis(cursor.valueArray(), cursor.valueOffset());
      firstEndMillis = Math.min(firstEndMillis, end);
    }
    minSequence = Math.min(minSequence, sequence);
    maxSequence = Math.max(maxSequence, sequence);
  }

  private void addRangeDeletions() {
    RangeDeletions ranges = table.rangeDeletions();
    entries += ranges.size();
    tombstones += ranges.size();
    for (int i = 0; i < ranges.size(); i++) {
      minSequence = Math.min(minSequence, ranges.fragment(i).oldest());
      maxSequence = Math.max(maxSequence, ranges.fragment(i).newest());
    }
    if (!ranges.isEmpty()
        && (smallestKey == null || Arrays.compareUnsigned(ranges.smallestKey(), smallestKey) < 0)) {
      smallestKey = ranges.smallestKey();
    }
  }

  /**
   * Returns whether the largest key is that of the last entry or the end of the last range
   * deletion. A table's bounds may limit this end to a smaller key.
   */
  private boolean reaches(byte[] largestKey) {
    RangeDeletions ranges = table.rangeDeletions();
    if (lastKey != null && Arrays.equals(lastKey, largestKey)) {
      return ranges.isEmpty()
          || Arrays.compareUnsigned(ranges.fragment(ranges.size() - 1).from(), lastKey) <= 0;
    }
    boolean behindEntries = lastKey == null || Arrays.compareUnsigned(lastKey, largestKey) < 0;
    return behindEntries
        && !ranges.isEmpty()
        && Arrays.compareUnsigned(ranges.largestKey(), largestKey) >= 0
        && Arrays.compareUnsigned(ranges.fragment(ranges.size() - 1).from(), largestKey) <= 0;
  }

  private void compareWithFacts() {
    TableMeta meta = table.meta();
    addRangeDeletions();
    if (entries != meta.entries()
        || tombstones != meta.tombstones()
        || minSequence != meta.minSequence()
        || maxSequence != meta.maxSequence()
        || firstEndMillis != table.firstEndMillis()
        || !Arrays.equals(smallestKey, meta.smallestKey())
        || !reaches(meta.largestKey())) {
      damage.accept(
          new CorruptionException(
              table.fileName(), 0, entries + " entries were found, but the manifest has " + meta));
    }
  }
}
