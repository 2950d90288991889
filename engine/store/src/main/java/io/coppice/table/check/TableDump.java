// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.check;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.KeyText;
import io.coppice.entry.EntryKind;
import io.coppice.entry.Expiry;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.table.FilterFile;
import io.coppice.table.Table;
import io.coppice.table.TableMeta;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCursor;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.TableIndex;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.filter.FilterLayout;
import io.coppice.table.filter.FilterOptions;
import io.coppice.table.filter.FilterSlot;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/** Text dump of a table, and of the filter file. */
public final class TableDump {

  private TableDump() {}

  /**
   * Writes a table as text: metadata, index, and the entries of each block.
   *
   * @param values whether to include the values
   * @return the number of damaged blocks; the text reports each of them
   * @param lines receives each line, without its end
   * @throws CorruptionException if the table cannot be opened
   */
  public static int write(Disk disk, long number, boolean values, Consumer<String> lines)
      throws IOException {
    TableMeta meta = TableSalvage.facts(disk, number);
    lines.accept(
        "family %s, %s bytes, %s entries, %s deletions, sequences %s..%s, keys %s..%s"
            .formatted(
                TableSalvage.family(disk, number),
                meta.bytes(),
                meta.entries(),
                meta.tombstones(),
                meta.minSequence(),
                meta.maxSequence(),
                KeyText.of(meta.smallestKey()),
                KeyText.of(meta.largestKey())));
    MemoryBudget unlimited = MemoryBudget.ofBytes(Long.MAX_VALUE);
    try (Codecs codecs = new Codecs()) {
      Table table =
          Table.open(disk, meta, unlimited, new OffHeapAllocator(), codecs, BlockCache.OFF);
      try {
        lines.accept(
            table.index().blocks()
                + " blocks, "
                + table.keys()
                + " keys, key digest "
                + Long.toHexString(table.keyDigest()));
        RangeDeletions ranges = table.rangeDeletions();
        for (int i = 0; i < ranges.size(); i++) {
          RangeDeletions.Fragment range = ranges.fragment(i);
          lines.accept(
              "delete range "
                  + KeyText.of(range.from())
                  + " to before "
                  + KeyText.of(range.to())
                  + " @"
                  + Arrays.toString(range.sequences()));
        }
        return blocks(table, values, lines);
      } finally {
        table.close();
      }
    }
  }

  private static int blocks(Table table, boolean values, Consumer<String> lines) {
    TableIndex index = table.index();
    BlockBuffer buffer = new BlockBuffer();
    BlockCursor cursor = new BlockCursor();
    int damaged = 0;
    for (int block = 0; block < index.blocks(); block++) {
      lines.accept(
          "block %s @%s, %s bytes, separator %s"
              .formatted(
                  block,
                  index.offset(block),
                  index.length(block),
                  KeyText.of(index.separator(block))));
      try {
        table.load(index, block, buffer, cursor);
        for (cursor.first(); cursor.valid(); cursor.next()) {
          lines.accept(entry(cursor, values));
        }
      } catch (CorruptionException e) {
        damaged++;
        lines.accept("  DAMAGED " + e.getMessage());
      }
    }
    return damaged;
  }

  private static String entry(BlockCursor cursor, boolean values) {
    String key = KeyText.of(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength());
    String text = "  " + name(cursor.kind()) + " " + key + " @" + cursor.sequence();
    return text
        + value(
            cursor.kind(), cursor.valueArray(), cursor.valueOffset(), cursor.valueLength(), values);
  }

  /**
   * Returns the text for an entry's value: its length, the expiry of an expiring entry, the end of
   * a range deletion, and the value itself if wanted.
   *
   * @param shown whether to include the value
   */
  public static String value(EntryKind kind, byte[] array, int from, int length, boolean shown) {
    if (kind == EntryKind.DELETE) {
      return "";
    }
    if (kind == EntryKind.DELETE_RANGE) {
      return " to before " + KeyText.of(array, from, length);
    }
    int skipped = kind.minValueBytes();
    String text = " " + (length - skipped) + " bytes";
    if (kind == EntryKind.EXPIRING) {
      text += " until " + Instant.ofEpochMilli(Expiry.endMillis(array, from));
    }
    return shown ? text + " " + KeyText.of(array, from + skipped, length - skipped) : text;
  }

  private static String name(EntryKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Writes the filter file as text: its options, and the table of each slot.
   *
   * @throws java.nio.file.NoSuchFileException if there is no filter file
   * @throws CorruptionException if the header is damaged
   */
  public static void writeFilters(Disk disk, Consumer<String> lines) throws IOException {
    String name = FileKind.FILTERS.fileName(0);
    try (Disk.InputFile file = disk.open(name)) {
      byte[] preamble = new byte[FilterLayout.FIRST_UNIT];
      FilterOptions options = null;
      if (file.length() >= preamble.length) {
        file.read(0, preamble, 0, preamble.length);
        options = FilterLayout.options(name, preamble);
      }
      if (options == null) {
        throw new CorruptionException(
            name, 0, "its header is not that of a filter file; the next opening rebuilds it");
      }
      lines.accept(
          "binary fuse filters, %s bits a key for new tables, units of %s bytes"
              .formatted(options.bitsPerKey(), FilterLayout.UNIT_BYTES));
      writeSlots(file, FilterLayout.stamp(preamble), lines);
    }
  }

  private static void writeSlots(Disk.InputFile file, int stamp, Consumer<String> lines)
      throws IOException {
    int other = 0;
    int unit = 0;
    while (FilterLayout.offset(unit) < file.length()) {
      long offset = FilterLayout.offset(unit);
      byte[] slot = slotAt(file, unit, stamp);
      if (slot == null) {
        other++;
        unit++;
        continue;
      }
      writeOther(other, unit, lines);
      other = 0;
      lines.accept("unit " + unit + " @" + offset + ": " + FilterLayout.text(slot));
      unit += FilterLayout.units(FilterLayout.slot(slot, unit, stamp).shape());
    }
    writeOther(other, unit, lines);
  }

  private static void writeOther(int count, int before, Consumer<String> lines) {
    if (count > 0) {
      lines.accept("units " + (before - count) + " to " + (before - 1) + ": not sound, or free");
    }
  }

  /**
   * Returns the bytes of the undamaged slot that starts at a unit; null if there is none.
   *
   * @param stamp stamp of the file's header
   */
  private static byte[] slotAt(Disk.InputFile file, int unit, int stamp) throws IOException {
    long offset = FilterLayout.offset(unit);
    byte[] header = new byte[FilterLayout.SLOT_HEADER_BYTES];
    if (offset + header.length > file.length()) {
      return null;
    }
    file.read(offset, header, 0, header.length);
    FilterSlot slot = FilterLayout.slot(header, unit, stamp);
    if (!slot.exists() || offset + FilterLayout.slotBytes(slot.shape()) > file.length()) {
      return null;
    }
    byte[] bytes = new byte[FilterLayout.slotBytes(slot.shape())];
    file.read(offset, bytes, 0, bytes.length);
    return FilterLayout.isSound(bytes, offset, stamp) ? bytes : null;
  }

  /**
   * Returns the bits per key of new filters according to the filter file; 0 if there is no readable
   * file.
   *
   * @throws io.coppice.base.VersionException if the file has a newer format
   */
  public static int filterBits(Disk disk) throws IOException {
    MemoryBudget none = MemoryBudget.ofBytes(1);
    FilterFile store = FilterFile.openForReading(disk, none, new OffHeapAllocator());
    if (store == null) {
      return 0;
    }
    try (store) {
      return store.options().bitsPerKey();
    }
  }
}
