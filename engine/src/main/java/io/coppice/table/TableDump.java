// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.CorruptionException;
import io.coppice.base.KeyText;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.Expiry;
import io.coppice.entry.Kind;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/** A table and the file of filters as lines for people. */
public final class TableDump {

  private TableDump() {}

  /** The facts of a table by what its file says. */
  public static TableMeta facts(Disk disk, long number) throws IOException {
    return Table.facts(disk, number);
  }

  /** Whose keys a table holds by what its file says: the number of the family. */
  public static int family(Disk disk, long number) throws IOException {
    return Table.family(disk, number);
  }

  /**
   * Writes out a table: facts, index, and block by block its entries.
   *
   * @param values whether values are written out too
   * @return the number of damaged blocks, each of which is written out as such
   * @throws CorruptionException if the table cannot be opened
   */
  public static int write(Disk disk, long number, boolean values, Consumer<String> lines)
      throws IOException {
    TableMeta meta = Table.facts(disk, number);
    lines.accept(
        "family "
            + family(disk, number)
            + ", "
            + meta.bytes()
            + " bytes, "
            + meta.entries()
            + " entries, "
            + meta.tombstones()
            + " deletions, sequences "
            + meta.minSequence()
            + ".."
            + meta.maxSequence()
            + ", keys "
            + KeyText.of(meta.smallestKey())
            + ".."
            + KeyText.of(meta.largestKey()));
    MemoryBudget unlimited = MemoryBudget.ofBytes(Long.MAX_VALUE);
    try (Codecs codecs = new Codecs()) {
      Table table = Table.open(disk, meta, unlimited, new UnpooledByteBufAllocator(true), codecs);
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
          "block "
              + block
              + " @"
              + index.offset(block)
              + ", "
              + index.length(block)
              + " bytes, separator "
              + KeyText.of(index.separator(block)));
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
   * What is told of an entry's value: its length, the end of an entry that ends, a range's end, and
   * the value itself if it is asked for.
   */
  public static String value(Kind kind, byte[] array, int from, int length, boolean shown) {
    if (kind == Kind.DELETE) {
      return "";
    }
    if (kind == Kind.DELETE_RANGE) {
      return " to before " + KeyText.of(array, from, length);
    }
    int skipped = kind.minValueBytes();
    String text = " " + (length - skipped) + " bytes";
    if (kind == Kind.EXPIRING) {
      text += " until " + Instant.ofEpochMilli(Expiry.endMillis(array, from));
    }
    return shown ? text + " " + KeyText.of(array, from + skipped, length - skipped) : text;
  }

  private static String name(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Writes out the file of filters: for what it was laid out, and whose each slot is.
   *
   * @throws CorruptionException if its header is damaged
   */
  public static void writeFilters(Disk disk, Consumer<String> lines) throws IOException {
    String name = FileKind.FILTERS.fileName(0);
    try (Disk.InputFile file = disk.open(name)) {
      byte[] preamble = new byte[FilterLayout.FIRST_SLOT];
      FilterOptions options = null;
      if (file.length() >= preamble.length) {
        file.read(0, preamble, 0, preamble.length);
        options = FilterLayout.options(name, preamble);
      }
      if (options == null) {
        throw new CorruptionException(name, 0, "its header is not sound; opening makes it anew");
      }
      int slotBytes = FilterLayout.slotBytes(options);
      lines.accept(
          options.bitsPerKey()
              + " bits a key, "
              + options.probes()
              + " probes, slots of "
              + slotBytes
              + " bytes for "
              + options.maxKeys()
              + " keys");
      byte[] slot = new byte[slotBytes];
      int stamp = FilterLayout.stamp(preamble);
      for (int i = 0; FilterLayout.slotOffset(options, i) + slotBytes <= file.length(); i++) {
        long offset = FilterLayout.slotOffset(options, i);
        file.read(offset, slot, 0, slotBytes);
        lines.accept("slot " + i + " @" + offset + ": " + FilterLayout.text(slot, offset, stamp));
      }
    }
  }

  /** For how many bits a key the filters of a store are laid out; 0 if it has none to read. */
  public static int filterBits(Disk disk) throws IOException {
    MemoryBudget none = MemoryBudget.ofBytes(1);
    FilterStore store = FilterStore.openForReading(disk, none, new UnpooledByteBufAllocator(true));
    if (store == null) {
      return 0;
    }
    try (store) {
      return store.options().bitsPerKey();
    }
  }
}
