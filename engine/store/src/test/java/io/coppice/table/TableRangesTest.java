// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.VersionException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.table.block.BlockCodec;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.check.TableVerifier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableRangesTest {

  private final MemDisk disk = new MemDisk();
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(1);

  private Table open(TableMeta meta) throws IOException {
    return Table.open(disk, meta, budget, new OffHeapAllocator(), new Codecs(), BlockCache.OFF);
  }

  private TableWriter create() throws IOException {
    return TableWriter.create(
        disk, 1, TableOptions.DEFAULT, BlockCodec.NONE, new Codecs(), new TableWriter.Buffers());
  }

  private static byte[] key(int... bytes) {
    byte[] key = new byte[bytes.length];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) bytes[i];
    }
    return key;
  }

  private TableMeta write(byte[] limit, boolean entries, Fragment... fragments) throws IOException {
    try (TableWriter writer = create()) {
      if (entries) {
        writer.add(key(5), 0, 1, 40, EntryKind.PUT, key(1, 2), 0, 2);
      }
      for (Fragment fragment : fragments) {
        writer.add(fragment);
      }
      writer.limit(limit);
      TableMeta meta = writer.complete();
      writer.sync();
      return meta;
    }
  }

  @Test
  void theBoundsCoverTheRanges() throws IOException {
    TableMeta meta =
        write(
            null,
            true,
            new Fragment(key(3), key(4), new long[] {9, 2}),
            new Fragment(key(7), key(8, 0), new long[] {50}));
    assertThat(meta.smallestKey()).isEqualTo(key(3));
    assertThat(meta.largestKey()).isEqualTo(key(8));
    assertThat(meta.entries()).isEqualTo(3);
    assertThat(meta.tombstones()).isEqualTo(2);
    assertThat(meta.rangeDeletions()).isEqualTo(2);
    assertThat(meta.minSequence()).isEqualTo(2);
    assertThat(meta.maxSequence()).isEqualTo(50);
    Table table = open(meta);
    assertThat(table.rangeDeletions().newestCovering(key(3, 9), 0, 2, 8)).isEqualTo(2);
    assertThat(budget.usedBytes()).isPositive();
    table.close();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aTableOfRangesAloneHasNoEntryToShow() throws IOException {
    TableMeta meta = write(key(6), false, new Fragment(key(3), key(7), new long[] {9}));
    assertThat(meta.largestKey()).as("limited").isEqualTo(key(6));
    Table table = open(meta);
    TableLookup lookup = new TableLookup();
    assertThat(table.get(lookup, LookupKeys.of(key(4), 100))).isFalse();
    assertThat(TableEstimates.bytesUpTo(table, key(4))).isEqualTo(meta.bytes());
    assertThat(TableEstimates.separators(table, KeyWindow.ALL, 1)).isEmpty();
    try (EntryCursor cursor = table.cursor()) {
      cursor.first();
      assertThat(cursor.valid()).isFalse();
      cursor.last();
      assertThat(cursor.valid()).isFalse();
      cursor.seek(key(4), 0, 1);
      assertThat(cursor.valid()).isFalse();
      cursor.seekForPrev(key(4), 0, 1);
      assertThat(cursor.valid()).isFalse();
    }
    table.close();
    List<CorruptionException> damages = new ArrayList<>();
    assertThat(TableVerifier.run(disk, meta, damages::add)).isEqualTo(1);
    assertThat(damages).isEmpty();
  }

  @Test
  void rangesThatOverlapAreRefused() throws IOException {
    try (TableWriter writer = create()) {
      writer.add(new Fragment(key(3), key(7), new long[] {9}));
      assertThatThrownBy(() -> writer.add(new Fragment(key(6), key(8), new long[] {9})))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("overlaps");
    }
  }

  @Test
  void everyFlippedBitIsFound() throws IOException {
    for (boolean entries : new boolean[] {true, false}) {
      TableMeta meta =
          write(
              null,
              entries,
              new Fragment(key(3), key(4), new long[] {9, 2}),
              new Fragment(key(7), key(9), new long[] {50}));
      String name = FileKind.TABLE.fileName(1);
      byte[] sound = disk.bytes(name);
      for (int bit = 0; bit < 8 * sound.length; bit++) {
        byte[] flipped = sound.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        disk.setBytes(name, flipped);
        List<CorruptionException> damages = new ArrayList<>();
        try {
          TableVerifier.run(disk, meta, damages::add);
        } catch (VersionException e) {
          continue;
        }
        // Features that a reader may ignore are the only bits that mean nothing.
        if (damages.isEmpty()) {
          assertThat(bit / 8).as("byte of a flip that nothing found").isBetween(24, 31);
        }
      }
      disk.delete(name);
    }
  }
}
