// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.check;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.MergingCursor;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.table.KeyWindow;
import io.coppice.table.Table;
import io.coppice.table.TableFile;
import io.coppice.table.TableLayout;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.TableWriter;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCodec;
import io.coppice.table.block.BlockCursor;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.TableIndex;
import io.coppice.table.cache.BlockCache;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/** Salvage of damaged tables, and merging of tables that hold versions of the same keys. */
public final class TableSalvage {

  /** Outputs are cut when they have this number of bytes, between user keys. */
  private static final long OUTPUT_BYTES = 64 << 20;

  private TableSalvage() {}

  /**
   * Key range whose entries in a table could not be read.
   *
   * @param above exclusive unless {@code inclusive}; null for the beginning of the table
   * @param inclusive whether versions of the key {@code above} may be lost too
   * @param upTo inclusive
   * @param olderLeft whether the table still holds older versions of the key {@code upTo}
   */
  public record Gap(byte[] above, boolean inclusive, byte[] upTo, boolean olderLeft) {}

  /** Keys of an undamaged table inside a window. */
  public record Part(TableMeta table, KeyWindow window) {}

  /** Reader of the entries of several tables. One thread uses it at a time. */
  public interface Scan {
    /**
     * Reads the entries; both arguments are valid until this returns.
     *
     * @param entries entries of all parts, unpositioned
     * @param ranges range deletions of all parts
     */
    void run(EntryCursor entries, RangeDeletions ranges) throws IOException;
  }

  /**
   * Passes the entries of parts of undamaged tables to a scan, once; all is closed afterwards.
   *
   * @throws CorruptionException if a table is damaged after all
   */
  public static void scan(Disk disk, List<Part> parts, Scan scan) throws IOException {
    try (Codecs codecs = new Codecs()) {
      List<Table> tables = new ArrayList<>();
      try {
        List<EntryCursor> cursors = new ArrayList<>();
        List<RangeDeletions> ranges = new ArrayList<>();
        for (Part part : parts) {
          Table table = open(disk, part.table, codecs);
          tables.add(table);
          cursors.add(table.cursor(part.window));
          ranges.add(table.rangeDeletions().clip(part.window.low(), part.window.high()));
        }
        try (MergingCursor merged = new MergingCursor(cursors)) {
          scan.run(merged, RangeDeletions.union(ranges));
        }
      } finally {
        for (Table table : tables) {
          table.close();
        }
      }
    }
  }

  /**
   * Readable content of a damaged table.
   *
   * @param table table with that content, synced, before its name is durable; null if there is none
   * @param gaps lost ranges by ascending key
   */
  public record Salvaged(TableMeta table, List<Gap> gaps) {
    /** Makes the list immutable. */
    public Salvaged {
      gaps = List.copyOf(gaps);
    }
  }

  /**
   * Returns the metadata of a finished table according to its file. The filter slot is unknown
   * there, so the result has none.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such file
   * @throws CorruptionException if header, footer or properties are damaged
   */
  public static TableMeta facts(Disk disk, long number) throws IOException {
    return properties(
        disk,
        number,
        (found, bytes) ->
            new TableMeta(
                number,
                bytes,
                found.entries(),
                found.tombstones(),
                found.rangeDeletions(),
                found.smallestKey(),
                found.largestKey(),
                found.minSequence(),
                found.maxSequence(),
                TableMeta.NO_FILTER));
  }

  /**
   * Returns the number of the family whose keys a finished table holds; throws like {@link #facts}.
   */
  public static int family(Disk disk, long number) throws IOException {
    return properties(disk, number, (found, bytes) -> found.family());
  }

  private static <T> T properties(
      Disk disk, long number, BiFunction<TableFile.Properties, Long, T> answer) throws IOException {
    try (Disk.InputFile file = disk.open(FileKind.TABLE.fileName(number))) {
      if (file.length() < TableLayout.MIN_BYTES) {
        throw new CorruptionException(
            file.name(), 0, "a file of " + file.length() + " bytes is too short for a table");
      }
      FileHeader.read(file, FileKind.TABLE, number);
      TableFile.Footer footer = TableFile.Footer.read(file, number);
      long offset = footer.propertiesOffset();
      BlockBuffer buffer = new BlockBuffer();
      int read = buffer.read(file, number, offset, (int) footer.propertiesLength());
      ByteSource source = new ByteSource();
      source.reset(file.name(), offset, buffer.array(), 0, read);
      try {
        return answer.apply(TableFile.Properties.parse(source), file.length());
      } catch (IllegalArgumentException e) {
        throw new CorruptionException(file.name(), offset, e.getMessage(), e);
      }
    } catch (EOFException e) {
      String name = FileKind.TABLE.fileName(number);
      throw new CorruptionException(name, 0, "the file became shorter while it was read", e);
    }
  }

  /**
   * Copies all undamaged blocks of a table into a new one.
   *
   * @param number number of the new table
   * @throws CorruptionException if the table cannot be opened, so that all its content is lost
   * @throws IOException if a file cannot be read or written; the new file may be left
   */
  public static Salvaged copy(Disk disk, TableMeta meta, long number) throws IOException {
    try (Codecs codecs = new Codecs()) {
      return copy(disk, meta, number, codecs);
    }
  }

  private static Salvaged copy(Disk disk, TableMeta meta, long number, Codecs codecs)
      throws IOException {
    Table table = open(disk, meta, codecs);
    try (TableWriter writer = create(disk, number, codecs)) {
      writer.family(family(disk, meta.number()));
      TableIndex index = table.index();
      BlockBuffer buffer = new BlockBuffer();
      BlockCursor cursor = new BlockCursor();
      List<Gap> gaps = new ArrayList<>();
      // Last key of the block before; null if that block is lost.
      byte[] last = null;
      for (int block = 0; block < index.blocks(); block++) {
        byte[] before = last;
        last = null;
        try {
          // All or nothing: bytes after a fault inside a block cannot be trusted.
          table.load(index, block, buffer, cursor);
          cursor.first();
          if (block > 0 && before == null) {
            noteOlder(gaps, cursor);
          }
          for (; cursor.valid(); cursor.next()) {
            writer.add(
                cursor.keyArray(),
                cursor.keyOffset(),
                cursor.keyLength(),
                cursor.sequence(),
                cursor.kind(),
                cursor.valueArray(),
                cursor.valueOffset(),
                cursor.valueLength());
          }
          cursor.last();
          last = Bytes.copy(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength());
        } catch (CorruptionException | IllegalArgumentException e) {
          byte[] above = block == 0 ? null : index.separator(block - 1);
          // Versions of one key may fill the end of a block and the beginning of the next.
          boolean inclusive = before != null && Arrays.equals(above, before);
          gaps.add(new Gap(above, inclusive, index.separator(block), false));
        }
      }
      RangeDeletions ranges = table.rangeDeletions();
      for (int i = 0; i < ranges.size(); i++) {
        writer.add(ranges.fragment(i));
      }
      if (writer.entries() == 0 && ranges.isEmpty()) {
        writer.abort();
        return new Salvaged(null, gaps);
      }
      writer.limit(meta.largestKey());
      return new Salvaged(durable(writer), gaps);
    } finally {
      table.close();
    }
  }

  /** Marks the last gap if the block after it begins with older versions of the gap's last key. */
  private static void noteOlder(List<Gap> gaps, BlockCursor cursor) {
    Gap gap = gaps.get(gaps.size() - 1);
    byte[] first = Bytes.copy(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength());
    if (Arrays.equals(first, gap.upTo)) {
      gaps.set(gaps.size() - 1, new Gap(gap.above, gap.inclusive, gap.upTo, true));
    }
  }

  private static Table open(Disk disk, TableMeta meta, Codecs codecs) throws IOException {
    MemoryBudget unlimited = MemoryBudget.ofBytes(Long.MAX_VALUE);
    return Table.open(disk, meta, unlimited, new OffHeapAllocator(), codecs, BlockCache.OFF);
  }

  /** Creates an uncompressed table; the next merge applies the store's compression. */
  private static TableWriter create(Disk disk, long number, Codecs codecs) throws IOException {
    return TableWriter.create(
        disk, number, TableOptions.DEFAULT, BlockCodec.NONE, codecs, new TableWriter.Buffers());
  }

  /**
   * Merges undamaged tables into new ones, in the order of entries, newest version of a key first.
   * It drops only duplicates of an entry with the same key and sequence number. The new tables are
   * synced; their names are not durable.
   *
   * @param metas tables to merge; the first one wins among duplicates
   * @param family number of the tables' family
   * @param numbers returns file numbers, each once
   * @return the new tables by ascending key
   * @throws CorruptionException if a table is damaged after all; outputs may be left as files
   */
  public static List<TableMeta> merge(
      Disk disk, List<TableMeta> metas, int family, LongSupplier numbers) throws IOException {
    try (Codecs codecs = new Codecs()) {
      List<Table> tables = new ArrayList<>();
      try {
        for (TableMeta meta : metas) {
          tables.add(open(disk, meta, codecs));
        }
        List<EntryCursor> cursors = tables.stream().map(Table::cursor).toList();
        RangeDeletions ranges =
            RangeDeletions.union(tables.stream().map(Table::rangeDeletions).toList());
        try (MergingCursor merged = new MergingCursor(cursors)) {
          return write(merged, ranges, () -> create(disk, family, numbers, codecs));
        }
      } finally {
        for (Table table : tables) {
          table.close();
        }
      }
    }
  }

  /**
   * Returns the sequence number of the newest entry of each key in undamaged tables, by ascending
   * key. Reads all their entries. Keys without an entry are left out. Range deletions do not count.
   *
   * @param keys ordered as unsigned bytes
   */
  public static NavigableMap<byte[], Long> newest(
      Disk disk, List<TableMeta> metas, NavigableSet<byte[]> keys) throws IOException {
    NavigableMap<byte[], Long> newest = new TreeMap<>(Bytes.ORDER);
    try (Codecs codecs = new Codecs()) {
      for (TableMeta meta : metas) {
        Table table = open(disk, meta, codecs);
        try (EntryCursor cursor = table.cursor()) {
          for (cursor.first(); cursor.valid(); cursor.next()) {
            byte[] key = Bytes.copy(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength());
            if (keys.contains(key)) {
              newest.merge(key, cursor.sequence(), Long::max);
            }
          }
        } finally {
          table.close();
        }
      }
    }
    return newest;
  }

  private interface Outputs {
    TableWriter next() throws IOException;
  }

  private static TableWriter create(Disk disk, int family, LongSupplier numbers, Codecs codecs)
      throws IOException {
    TableWriter writer = create(disk, numbers.getAsLong(), codecs);
    writer.family(family);
    return writer;
  }

  private static List<TableMeta> write(EntryCursor entries, RangeDeletions ranges, Outputs files)
      throws IOException {
    List<TableMeta> outputs = new ArrayList<>();
    TableWriter writer = files.next();
    try {
      byte[] cut = null;
      byte[] last = null;
      long lastSequence = -1;
      for (entries.first(); entries.valid(); entries.next()) {
        boolean same =
            last != null
                && Bytes.equal(
                    last,
                    0,
                    last.length,
                    entries.keyArray(),
                    entries.keyOffset(),
                    entries.keyLength());
        if (same && entries.sequence() == lastSequence) {
          continue;
        }
        if (!same && writer.bytes() >= OUTPUT_BYTES) {
          outputs.add(finish(writer, ranges.clip(cut, last), last));
          writer = files.next();
          cut = last;
        }
        if (!same) {
          last = Bytes.copy(entries.keyArray(), entries.keyOffset(), entries.keyLength());
        }
        lastSequence = entries.sequence();
        writer.add(entries);
      }
      RangeDeletions rest = ranges.clip(cut, null);
      if (writer.entries() > 0 || !rest.isEmpty()) {
        outputs.add(finish(writer, rest, null));
      } else {
        writer.abort();
      }
      return outputs;
    } finally {
      writer.close();
    }
  }

  private static TableMeta finish(TableWriter writer, RangeDeletions ranges, byte[] limit)
      throws IOException {
    for (int i = 0; i < ranges.size(); i++) {
      writer.add(ranges.fragment(i));
    }
    writer.limit(limit);
    return durable(writer);
  }

  /** Completes a table and makes its bytes durable, but not its name. */
  private static TableMeta durable(TableWriter writer) throws IOException {
    TableMeta meta = writer.complete();
    writer.sync();
    return meta;
  }
}
