// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryKind;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.HexDump;
import io.coppice.io.MemDisk;
import io.coppice.table.FinishedTable;
import io.coppice.table.KeyWindow;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.TableWriter;
import io.coppice.table.filter.FilterOptions;
import io.coppice.version.EditOp;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Holds the dumps in {@code docs/formats} against the bytes that a small store writes, and reads
 * these bytes by the pages' grammar alone. {@code -Drewrite} records the dumps; read the diff.
 */
class FormatPagesTest {

  private static final Path PAGES = Path.of("..", "..", "docs", "formats");
  private static final TableOptions SMALL_BLOCKS = new TableOptions(64, 2);
  private static final FilterOptions FILTERS = new FilterOptions(6, 7);

  private final MemDisk disk = new MemDisk();
  private String log;

  @BeforeEach
  void writeStore() throws IOException {
    MemoryBudget budget = MemoryBudget.ofMebibytes(1);
    try (Manifest manifest = Manifest.open(disk);
        OpenTables tables = OpenTables.open(disk, budget, SMALL_BLOCKS, FILTERS, List.of())) {
      manifest.retireTo(table -> {});
      log = manifest.fileName();
      TableWriter writer = tables.create(2);
      add(writer, "apple", 5, EntryKind.PUT, "red");
      add(writer, "apple", 3, EntryKind.DELETE, "");
      add(writer, "apricot", 4, EntryKind.PUT, "orange");
      add(writer, "banana", 7, EntryKind.PUT, "yellow");
      add(writer, "cherry", 6, EntryKind.PUT, "dark red");
      writer.add(
          new RangeDeletions.Fragment(
              "b".getBytes(StandardCharsets.US_ASCII),
              "d".getBytes(StandardCharsets.US_ASCII),
              new long[] {2, 1}));
      TableMeta meta = FinishedTable.of(tables, writer);
      manifest.install(
          VersionEdit.builder()
              .keyOrder("bytes")
              .policyText("leveled")
              .addRun(0, 3, Set.of())
              .addTable(0, 3, 4, meta)
              .lastSequence(7)
              .walFloor(5, true)
              .nextNumber(8)
              .build());
      manifest.install(
          VersionEdit.builder()
              .addRun(1, 6, Set.of(3L))
              .trimSlice(4, "apple".getBytes(StandardCharsets.US_ASCII))
              .moveSlice(4, 1, 6)
              .build());
      byte[] cut = "apricot".getBytes(StandardCharsets.US_ASCII);
      byte[] apple = "apple".getBytes(StandardCharsets.US_ASCII);
      manifest.install(
          VersionEdit.builder()
              .regroup(
                  1,
                  6,
                  8,
                  List.of(4L),
                  List.of(
                      List.of(new EditOp.Piece(9, 2, new KeyWindow(apple, cut))),
                      List.of(new EditOp.Piece(10, 2, new KeyWindow(cut, null)))))
              .build());
      manifest.install(
          VersionEdit.builder()
              .createFamily(1, "users")
              .family(1)
              .keyOrder("bytes")
              .policyText("tiered")
              .build());
      byte[] banana = "banana".getBytes(StandardCharsets.US_ASCII);
      manifest.install(VersionEdit.builder().cutSegment(10, banana, List.of(11L)).build());
      manifest.install(
          VersionEdit.builder()
              .removeSlice(9)
              .removeSlice(10)
              .removeSlice(11)
              .dropFamily(1)
              .build());
    }
  }

  private static void add(
      TableWriter writer, String key, long sequence, EntryKind kind, String value)
      throws IOException {
    byte[] k = key.getBytes(StandardCharsets.US_ASCII);
    byte[] v = value.getBytes(StandardCharsets.US_ASCII);
    writer.add(k, 0, k.length, sequence, kind, v, 0, v.length);
  }

  @Test
  void theTablePageShowsWhatIsWritten() throws IOException {
    byte[] bytes = disk.bytes("000002.tbl");
    HexDump dump = new HexDump(bytes).envelope();
    HexDump footer = new HexDump(bytes);
    footer.bytes("", bytes.length - 40);
    long index = footer.fixed64("");
    footer.fixed64("");
    long properties = footer.fixed64("");
    // The third entry still fits under 64 bytes, the fourth does not.
    for (int[] entries : new int[][] {{0, 3}, {1, 2}}) {
      dump.title("block " + entries[0]);
      for (int i = 0; i < entries[1]; i++) {
        entry(dump);
      }
      for (int i = 0; i < (entries[1] + 1) / 2; i++) {
        dump.fixed32("restart");
      }
      dump.fixed32("restarts");
      trailer(dump);
    }
    assertThat(dump.offset()).isEqualTo((int) index);
    dump.title("index");
    for (int i = 0; i < 2; i++) {
      dump.varint("shared");
      dump.ascii("separator", (int) dump.varint("unshared"));
      dump.varint("block length");
    }
    trailer(dump);
    dump.title("ranges");
    assertThat(dump.varint("range deletions")).isEqualTo(1);
    dump.sized("from");
    dump.sized("to");
    assertThat(dump.varint("sequences")).isEqualTo(2);
    dump.varint("sequence");
    dump.varint("sequence");
    trailer(dump);
    assertThat(dump.offset()).isEqualTo((int) properties);
    dump.title("properties");
    dump.varint("entries");
    dump.varint("tombstones");
    dump.varint("range deletions");
    dump.varint("keys");
    dump.varint("smallest sequence");
    dump.varint("largest sequence");
    dump.varint("blocks");
    dump.varint("bytes before compression");
    dump.varint("codecs");
    dump.varint("family");
    dump.bytes("key digest", 8);
    dump.fixed64("earliest end");
    dump.sized("smallest key");
    dump.sized("largest key");
    trailer(dump);
    dump.title("footer");
    dump.fixed64("index offset");
    dump.fixed64("index length");
    dump.fixed64("properties offset");
    dump.fixed32("properties length");
    dump.ascii("magic", 8);
    dump.bytes("checksum of bytes 0 to 35 of the footer", 4);
    assertPage("table.md", "table", dump.text());
  }

  private static void entry(HexDump dump) {
    dump.u8("kind");
    dump.varint("shared");
    int unshared = (int) dump.varint("unshared");
    dump.varint("sequence");
    int value = (int) dump.varint("value length");
    if (unshared > 0) {
      dump.ascii("key's rest", unshared);
    }
    if (value > 0) {
      dump.ascii("value", value);
    }
  }

  private static void trailer(HexDump dump) {
    dump.u8("codec");
    dump.bytes("checksum", 4);
  }

  @Test
  void theFiltersPageShowsWhatIsWritten() throws IOException {
    HexDump dump = new HexDump(disk.bytes("filters.slots")).envelope();
    dump.title("header");
    dump.fixed32("unit bytes");
    dump.fixed32("hash");
    dump.fixed64("seed");
    dump.bytes("stamp: checksum of bytes 48 to 63", 4);
    dump.fixed32("bits per key of new tables");
    dump.bytes("checksum of bytes 48 to 71", 4);
    dump.bytes("zeros", 128 - dump.offset());
    dump.title("the slot that begins with unit 0");
    dump.bytes("checksum of the slot's other bytes", 4);
    dump.bytes("the header's stamp", 4);
    dump.fixed64("table");
    dump.bytes("key digest", 8);
    dump.fixed32("keys");
    dump.fixed32("bits of a fingerprint");
    dump.bytes("seed", 8);
    dump.bytes("zeros", 24);
    // 4 keys have 3 segments of 8 places.
    dump.bytes("fingerprints", 3 * 8 * 5 / 8);
    dump.bytes("zeros", 3);
    assertPage("filters.md", "filters", dump.text());
  }

  @Test
  void theManifestPageShowsWhatIsWritten() throws IOException {
    HexDump dump = new HexDump(disk.bytes(log)).envelope();
    String[] titles = {
      "snapshot", "edit", "edit", "edit", "edit", "edit", "edit", "closing edit, without changes"
    };
    for (int i = 0; i < titles.length; i++) {
      dump.title("record " + i + ": " + titles[i]);
      int length = dump.fixed32("length");
      dump.bytes("checksum of the payload", 4);
      dump.fixed64("synced up to");
      dump.bytes("checksum of the header", 4);
      int end = dump.offset() + length;
      int type = dump.u8("type");
      if (type == 1) {
        snapshot(dump);
      } else {
        edit(dump);
      }
      assertThat(dump.offset()).isEqualTo(end);
    }
    assertPage("manifest.md", "manifest", dump.text());
  }

  private static void snapshot(HexDump dump) {
    dump.varint("next number");
    dump.varint("last sequence");
    dump.varint("log floor");
    dump.u8("floor begun");
    dump.varint("next family");
    dump.varint("clock floor");
    assertThat(dump.varint("families")).isEqualTo(1);
    dump.varint("family");
    dump.sized("name");
    dump.sized("key order");
    dump.sized("policy");
    dump.sized("merge operator");
    assertThat(dump.varint("levels")).isEqualTo(1);
    assertThat(dump.varint("runs of level 0")).isZero();
  }

  private static void edit(HexDump dump) {
    long count = dump.varint("changes");
    for (int i = 0; i < count; i++) {
      int code = dump.u8("change");
      switch (code) {
        case 1 -> {
          dump.varint("add table: level");
          dump.varint("run");
          dump.varint("slice");
          table(dump);
        }
        case 2 -> dump.varint("remove slice: slice");
        case 3 -> {
          dump.varint("trim slice: slice");
          dump.sized("new low bound");
        }
        case 4 -> {
          dump.varint("move slice: slice");
          dump.varint("level");
          dump.varint("run");
        }
        case 5 -> {
          dump.varint("add run: level");
          dump.varint("run");
          long sources = dump.varint("sources");
          for (int j = 0; j < sources; j++) {
            dump.varint("source");
          }
        }
        case 6 -> dump.varint("next number: number");
        case 7 -> dump.varint("last sequence: sequence");
        case 8 -> {
          dump.varint("log floor: number");
          dump.u8("begun");
        }
        case 9 -> dump.sized("key order");
        case 10 -> dump.sized("policy");
        case 11 -> regroup(dump);
        case 12 -> dump.varint("in family: number");
        case 13 -> {
          dump.varint("create family: number");
          dump.sized("name");
        }
        case 14 -> dump.varint("drop family: number");
        case 15 -> dump.sized("merge operator");
        case 16 -> dump.varint("clock floor: millis");
        case 17 -> {
          dump.varint("cut segment: slice");
          dump.sized("high bound");
          long above = dump.varint("new slices");
          for (int j = 0; j < above; j++) {
            dump.varint("slice");
          }
        }
        default -> throw new AssertionError("change " + code);
      }
    }
  }

  private static void regroup(HexDump dump) {
    dump.varint("regroup: level");
    dump.varint("run");
    dump.varint("group");
    long slices = dump.varint("slices that leave");
    for (int i = 0; i < slices; i++) {
      dump.varint("slice");
    }
    long segments = dump.varint("segments");
    for (int i = 0; i < segments; i++) {
      long pieces = dump.varint("slices");
      for (int j = 0; j < pieces; j++) {
        dump.varint("slice");
        int bounds = dump.u8("bounds");
        if ((bounds & 1) != 0) {
          dump.sized("low bound");
        }
        if ((bounds & 2) != 0) {
          dump.sized("high bound");
        }
        dump.varint("table");
      }
    }
  }

  private static void table(HexDump dump) {
    dump.varint("table");
    dump.varint("bytes");
    dump.varint("entries");
    dump.varint("tombstones");
    dump.varint("range deletions");
    dump.varint("smallest sequence");
    dump.varint("largest sequence");
    if (dump.varint("bits of a fingerprint of the filter") != 0) {
      dump.varint("first unit of the filter");
      dump.varint("keys of the filter");
    }
    dump.sized("smallest key");
    dump.sized("largest key");
  }

  @Test
  void theManifestPageShowsCurrent() throws IOException {
    HexDump dump = new HexDump(disk.bytes("CURRENT")).envelope();
    dump.title("name");
    dump.fixed64("number of the manifest in force");
    dump.fixed64("owner");
    dump.fixed64("bytes of it that were durable");
    dump.bytes("checksum of bytes 48 to 71", 4);
    assertPage("manifest.md", "current", dump.text());
  }

  private static void assertPage(String page, String name, String dump) throws IOException {
    Path file = PAGES.resolve(page);
    String text = Files.readString(file);
    String start = "<!-- dump " + name + ": made by FormatPagesTest -->\n```\n";
    int from = text.indexOf(start);
    assertThat(from).as("the place of the dump in " + page).isNotNegative();
    from += start.length();
    int to = text.indexOf("```", from);
    if (System.getProperty("rewrite") != null) {
      Files.writeString(file, text.substring(0, from) + dump + text.substring(to));
      return;
    }
    assertThat(text.substring(from, to)).as(page).isEqualTo(dump);
  }
}
