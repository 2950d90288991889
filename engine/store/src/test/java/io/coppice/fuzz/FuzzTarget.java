// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fuzz;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.VersionException;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryBatchReader;
import io.coppice.entry.EntryCursor;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.TornTail;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.LookupKeys;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableLookup;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.check.TableVerifier;
import io.coppice.table.filter.FilterOptions;
import io.coppice.table.filter.FilterSlot;
import io.coppice.table.filter.KeyHash;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A parser that reads any bytes behind sound checksums: it gives an answer, or throws {@link
 * CorruptionException} or {@link VersionException}, soon and without much memory.
 */
enum FuzzTarget {
  /** Records of a log: bit 0 says whether a torn tail is refused, the rest is what follows. */
  WAL {
    @Override
    void read(byte[] data) throws IOException {
      MemDisk disk = new MemDisk();
      disk.setBytes(
          FileKind.WAL.fileName(NUMBER), HostileFiles.log(FileKind.WAL, NUMBER, behindFirst(data)));
      TornTail tail = first(data) % 2 == 0 ? TornTail.DROP : TornTail.REFUSE;
      long steps = 0;
      try (WalReader reader = WalReader.open(disk, NUMBER, tail)) {
        while (reader.next()) {
          reader.checkFamily(2);
          EntryBatchReader entries = reader.entries();
          while (entries.next()) {
            sum(entries.array(), entries.keyFrom(), entries.keyLength());
            sum(entries.array(), entries.valueFrom(), entries.valueLength());
            check(++steps <= data.length, "more entries than bytes");
          }
        }
        check(reader.droppedBytes() <= data.length, "dropped more than there is");
      }
    }
  },

  /** Records of a manifest; with bit 0 set CURRENT comes first, with its checksums mended. */
  MANIFEST {
    @Override
    void read(byte[] data) throws IOException {
      MemDisk disk = new MemDisk();
      byte[] current = current();
      byte[] records = behindFirst(data);
      if (first(data) % 2 == 1) {
        byte[][] pieces = HostileFiles.pieces(data, 1, 2);
        current = Arrays.copyOf(pieces[0], Math.max(current.length, pieces[0].length));
        System.arraycopy(HostileFiles.envelope(current), 0, current, 0, FileHeader.BYTES);
        seal(current);
        records = pieces[1];
      }
      disk.setBytes("CURRENT", current);
      disk.setBytes(
          FileKind.MANIFEST.fileName(NUMBER), HostileFiles.log(FileKind.MANIFEST, NUMBER, records));
      ManifestReader found = ManifestReader.read(disk);
      try (Manifest manifest = Manifest.open(disk)) {
        check(manifest.state().families().size() == found.state().families().size(), "two answers");
      }
      ManifestReader again = ManifestReader.read(disk.reopen());
      check(
          again.state().marks().lastSequence() == found.state().marks().lastSequence(),
          "another answer after rotation");
    }

    private byte[] current() {
      byte[] bytes = Arrays.copyOf(FileHeader.of(FileKind.CURRENT, 0).encode(), CURRENT_BYTES);
      Coding.putFixed64(bytes, FileHeader.BYTES, NUMBER);
      seal(bytes);
      return bytes;
    }

    private void seal(byte[] bytes) {
      int end = bytes.length - Integer.BYTES;
      Coding.putFixed32(
          bytes,
          end,
          Checksum.of(0, FileHeader.BYTES, bytes, FileHeader.BYTES, end - FileHeader.BYTES));
    }
  },

  /** The content of the only block of a table. */
  BLOCK {
    @Override
    void read(byte[] data) throws IOException {
      readTable(List.of(data), indexOfOne(data.length), NONE, properties(1, 0), 0, data);
    }
  },

  /** The only block of a table behind a first byte that says how it is compressed, or padded. */
  COMPRESSED {
    @Override
    void read(byte[] data) throws IOException {
      byte[] block = behindFirst(data);
      byte[] file =
          HostileFiles.table(
              NUMBER,
              1 + first(data) % 3,
              List.of(block),
              indexOfOne(block.length),
              NONE,
              properties(1, 0));
      readTableFile(file, meta(file.length, 1, 0), data);
    }
  },

  /** The range deletions of a table of two blocks. */
  RANGES {
    @Override
    void read(byte[] data) throws IOException {
      int count = first(data) & 0x7F;
      readTable(
          List.of(block("a"), block("zzz")), INDEX_OF_TWO, data, properties(2, count), count, data);
    }
  },

  /** Index and properties of a table of two blocks, and with bit 0 set its footer. */
  INDEX {
    @Override
    void read(byte[] data) throws IOException {
      byte[][] pieces = HostileFiles.pieces(data, 1, 3);
      byte[] properties = first(data) / 2 % 2 == 1 ? properties(2, 0) : pieces[1];
      List<byte[]> blocks = List.of(block("a"), block("zzz"));
      byte[] file = HostileFiles.table(NUMBER, 0, blocks, pieces[0], NONE, properties);
      if (first(data) % 2 == 1) {
        int footer = file.length - FOOTER_BYTES;
        System.arraycopy(pieces[2], 0, file, footer, Math.min(pieces[2].length, FOOTER_BYTES - 12));
        int sum = file.length - Integer.BYTES;
        Coding.putFixed32(file, sum, Checksum.of(NUMBER, footer, file, footer, sum - footer));
      }
      readTableFile(file, meta(file.length, 2, 0), data);
    }
  },

  /** The header of the filters after bit 0 of the first byte, then the slot of a sound table. */
  FILTERS {
    @Override
    void read(byte[] data) throws IOException {
      byte[] table =
          HostileFiles.table(
              NUMBER,
              0,
              List.of(block("a")),
              indexOfOne(block("a").length),
              NONE,
              properties(1, 0));
      byte[] header = new byte[FIRST_UNIT];
      byte[][] pieces = HostileFiles.pieces(data, 1, 2);
      System.arraycopy(FileHeader.of(FileKind.FILTERS, 0).encode(), 0, header, 0, FileHeader.BYTES);
      if (first(data) % 2 == 1) {
        System.arraycopy(
            pieces[0],
            0,
            header,
            FileHeader.BYTES,
            Math.min(pieces[0].length, FIRST_UNIT - FileHeader.BYTES));
      } else {
        Coding.putFixed32(header, 48, 512);
        Coding.putFixed32(header, 52, 1);
        Coding.putFixed32(header, 68, 10);
      }
      Coding.putFixed32(header, 64, Checksum.of(0, 48, header, 48, 16));
      Coding.putFixed32(header, 72, Checksum.of(0, 48, header, 48, 24));
      byte[] file = Arrays.copyOf(header, FIRST_UNIT + SLOT_BYTES);
      System.arraycopy(pieces[1], 0, file, FIRST_UNIT, Math.min(pieces[1].length, SLOT_BYTES));
      Coding.putFixed32(file, FIRST_UNIT + 4, Coding.fixed32(header, 64));
      Coding.putFixed64(file, FIRST_UNIT + 8, NUMBER);
      Coding.putFixed64(file, FIRST_UNIT + 16, 0);
      Coding.putFixed32(file, FIRST_UNIT + 24, 1);
      Coding.putFixed32(file, FIRST_UNIT + 28, 8);
      Coding.putFixed32(
          file, FIRST_UNIT, Checksum.of(0, FIRST_UNIT, file, FIRST_UNIT + 4, SLOT_BYTES - 4));
      MemDisk disk = new MemDisk();
      disk.setBytes(FileKind.TABLE.fileName(NUMBER), table);
      disk.setBytes(FileKind.FILTERS.fileName(0), file);
      TableMeta meta = meta(table.length, 1, 0).withFilterSlot(new FilterSlot(0, 8, 1));
      MemoryBudget budget = MemoryBudget.ofBytes(1 << 20);
      try (OpenTables tables = OpenTables.openForReading(disk, budget, List.of(meta))) {
        sum(tables.get(NUMBER).mayContain(KeyHash.of(data, 0, data.length)) ? 1 : 0);
      }
      try (OpenTables tables =
          OpenTables.open(
              disk.reopen(),
              budget,
              TableOptions.DEFAULT,
              new FilterOptions(10, 0),
              List.of(meta))) {
        sum(tables.get(NUMBER).mayContain(KeyHash.of(data, 0, data.length)) ? 1 : 0);
      }
      check(budget.usedBytes() == 0, "memory is held");
    }
  },

  /** The first bytes of any file. */
  ENVELOPE {
    @Override
    void read(byte[] data) {
      byte[] bytes = behindFirst(data);
      bytes = first(data) % 2 == 0 ? HostileFiles.envelope(bytes) : Arrays.copyOf(bytes, 48);
      FileKind kind = FileKind.values()[first(data) / 2 % FileKind.values().length];
      FileHeader header = FileHeader.decode("file", bytes, kind, Coding.fixed64(bytes, 32));
      check(Arrays.equals(header.encode(), bytes), "it is written another way than it is read");
    }
  };

  private static final long NUMBER = 2;
  private static final int CURRENT_BYTES = 76;
  private static final int TRAILER_BYTES = 5;
  private static final int FOOTER_BYTES = 40;
  private static final int FIRST_UNIT = 128;

  /** A slot's header and the 12 places of a key in 8 bits each, with 3 bytes behind. */
  private static final int SLOT_BYTES = 64 + 12 + 3;

  private static final byte LARGEST_SEQUENCE = 9;
  private static final byte[] NONE = {};
  private static final byte[] INDEX_OF_TWO = {0, 1, 'a', 19, 0, 3, 'z', 'z', 'z', 21};
  private static final int LARGEST_STEPS = 1 << 16;

  private static volatile long sink;

  abstract void read(byte[] data) throws IOException;

  /** Reads the bytes; returns how that ended. Throws if it ended otherwise than it may. */
  final String run(byte[] data) {
    try {
      read(data);
      return "read";
    } catch (CorruptionException | VersionException e) {
      return e.getClass().getSimpleName();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  static int first(byte[] data) {
    return data.length == 0 ? 0 : data[0] & 0xFF;
  }

  static byte[] behindFirst(byte[] data) {
    return data.length == 0 ? data : Arrays.copyOfRange(data, 1, data.length);
  }

  /** A block of one entry with an empty value. */
  static byte[] block(String key) {
    byte[] bytes = new byte[5 + key.length() + 8];
    bytes[0] = 1;
    bytes[2] = (byte) key.length();
    bytes[3] = 1;
    System.arraycopy(key.getBytes(StandardCharsets.US_ASCII), 0, bytes, 5, key.length());
    bytes[bytes.length - 4] = 1;
    return bytes;
  }

  static byte[] indexOfOne(int blockLength) {
    byte[] index = {0, 3, 'z', 'z', 'z', 0, 0, 0, 0, 0};
    return Arrays.copyOf(index, Coding.putVarint32(index, 5, blockLength + TRAILER_BYTES));
  }

  /** The properties of a table with the keys from a to zzz, one in each block. */
  static byte[] properties(int blocks, int ranges) {
    byte[] bytes = new byte[11 + 8 + 8 + 2 + 4];
    bytes[0] = (byte) (blocks + ranges);
    bytes[1] = (byte) ranges;
    bytes[2] = (byte) ranges;
    bytes[3] = (byte) blocks;
    bytes[4] = 1;
    bytes[5] = LARGEST_SEQUENCE;
    bytes[6] = (byte) blocks;
    bytes[7] = (byte) 0x80;
    bytes[8] = 1;
    bytes[9] = 1;
    Arrays.fill(bytes, 19, 26, (byte) 0xFF);
    bytes[26] = 0x7F;
    bytes[27] = 1;
    bytes[28] = 'a';
    bytes[29] = 3;
    Arrays.fill(bytes, 30, 33, (byte) 'z');
    return bytes;
  }

  static TableMeta meta(int length, int blocks, int ranges) {
    return new TableMeta(
        NUMBER,
        length,
        blocks + ranges,
        ranges,
        ranges,
        new byte[] {'a'},
        new byte[] {'z', 'z', 'z'},
        1,
        LARGEST_SEQUENCE,
        TableMeta.NO_FILTER);
  }

  static void readTable(
      List<byte[]> blocks,
      byte[] index,
      byte[] ranges,
      byte[] properties,
      int rangeCount,
      byte[] data)
      throws IOException {
    byte[] file = HostileFiles.table(NUMBER, 0, blocks, index, ranges, properties);
    readTableFile(file, meta(file.length, blocks.size(), rangeCount), data);
  }

  static void readTableFile(byte[] file, TableMeta meta, byte[] data) throws IOException {
    MemDisk disk = new MemDisk();
    disk.setBytes(FileKind.TABLE.fileName(NUMBER), file);
    MemoryBudget budget = MemoryBudget.ofBytes(1 << 20);
    TableVerifier.run(disk, meta, damage -> {});
    try (OpenTables tables =
        OpenTables.open(disk, budget, TableOptions.DEFAULT, FilterOptions.OFF, List.of(meta))) {
      walk(tables.get(NUMBER), file.length, data);
    } finally {
      check(budget.usedBytes() == 0, "memory is held");
    }
  }

  private static void walk(Table table, int bytes, byte[] data) {
    CorruptionException last = null;
    for (int way = 0; way < 5; way++) {
      try (EntryCursor cursor = table.cursor()) {
        int length = Math.min(data.length, 8);
        switch (way) {
          case 0 -> cursor.first();
          case 1 -> cursor.last();
          case 2 -> cursor.seek(data, data.length - length, length);
          case 3 -> cursor.seekForPrev(data, data.length - length, length);
          default -> get(table, data);
        }
        int steps = 0;
        while (way < 4 && cursor.valid()) {
          sum(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength());
          sum(cursor.valueArray(), cursor.valueOffset(), cursor.valueLength());
          sum(cursor.sequence() + cursor.kind().ordinal());
          check(++steps <= bytes && steps < LARGEST_STEPS, "it does not end");
          if (way % 2 == 0) {
            cursor.next();
          } else {
            cursor.prev();
          }
        }
      } catch (CorruptionException e) {
        last = e;
      }
    }
    if (last != null) {
      throw last;
    }
  }

  private static void get(Table table, byte[] data) {
    TableLookup lookup = new TableLookup();
    for (int length = 0; length <= Math.min(4, data.length); length++) {
      if (table.get(lookup, LookupKeys.of(data, data.length - length, length, 1L << 40))) {
        sum(lookup.valueArray(), lookup.valueOffset(), lookup.valueLength());
      }
    }
  }

  static void sum(byte[] bytes, int from, int length) {
    long sum = 0;
    for (int i = from; i < from + length; i++) {
      sum = 31 * sum + bytes[i];
    }
    sink += sum;
  }

  static void sum(long value) {
    sink += value;
  }
}
