// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryKind;
import io.coppice.io.MemDisk;
import io.coppice.table.FinishedTable;
import io.coppice.table.KeyWindow;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.TableWriter;
import io.coppice.table.filter.FilterOptions;
import io.coppice.version.EditOp;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class VirtualCompactionTest {

  private final AtomicLong numbers = new AtomicLong(100);

  @Test
  void windowsOfATableThatTouchBecomeOne() {
    List<Slice> line = List.of(slice(7, 'a', 'f'), slice(3, 'a', 'm'), slice(7, 'f', 'm'));

    assertThat(drawn(VirtualCompaction.united(line)))
        .as("t3 lies between, over both windows")
        .isEqualTo("t7(a..f] t3(a..m] t7(f..m]");

    line = List.of(slice(7, 'a', 'f'), slice(3, 'g', 'm'), slice(7, 'f', 'm'));
    assertThat(drawn(VirtualCompaction.united(line)))
        .as("only the earlier window may pass t3")
        .isEqualTo("t3(g..m] t7(a..m]");

    line = List.of(slice(7, 'a', 'f'), slice(3, 'a', 'f'), slice(7, 'f', 'm'), slice(3, 'f', 'm'));
    assertThat(drawn(VirtualCompaction.united(line))).isEqualTo("t7(a..m] t3(a..m]");

    line = List.of(slice(7, 'a', 'f'), slice(7, 'g', 'm'));
    assertThat(drawn(VirtualCompaction.united(line))).isEqualTo("t7(a..f] t7(g..m]");
  }

  @Test
  void eachSegmentListsWhatReachesIntoItInTheOrderOfTheLine() {
    List<Slice> line = List.of(slice(7, 'c', 'm'), slice(3, 'a', 'f'), slice(5, 'p', 's'));

    assertThat(drawn(line, "dfz"))
        .isEqualTo("t7(c..d] t3(a..d] | t7(d..f] t3(d..f] | t7(f..m] t5(p..s]");
    assertThat(drawn(line, "n")).isEqualTo("t7(c..m] t3(a..f] | t5(p..s]");
    assertThat(drawn(line, "")).isEqualTo("t7(c..m] t3(a..f] t5(p..s]");
  }

  @Test
  void cutsFallWhereTheBytesAreEqual() throws IOException {
    try (OpenTables tables = tables(new MemDisk(), List.of())) {
      // Dense below, sparse above, and one table that is seen through a window only.
      Slice dense = Slice.whole(1, table(tables, 1, 0, 1, 3_000));
      Slice sparse = Slice.whole(2, table(tables, 2, 0, 40, 1_000));
      Slice cut = new Slice(3, table(tables, 3, 500, 10, 2_000), new KeyWindow(key(9_000), null));
      List<Slice> line = List.of(dense, sparse, cut);
      List<byte[]> cuts = VirtualCompaction.cuts(tables, line, 5);
      assertThat(cuts).hasSize(4);

      List<List<EditOp.Piece>> segments =
          VirtualCompaction.cut(line, cuts, numbers::getAndIncrement);
      long total = line.stream().mapToLong(slice -> SliceSize.of(tables, slice).bytes()).sum();
      long sum = 0;
      for (List<EditOp.Piece> segment : segments) {
        long bytes = 0;
        for (EditOp.Piece piece : segment) {
          Slice origin = line.get((int) piece.table() - 1);
          bytes += SliceSize.of(tables, new Slice(9, origin.table(), piece.window())).bytes();
        }
        assertThat(bytes).isBetween(total / 5 - total / 25, total / 5 + total / 25);
        sum += bytes;
      }
      assertThat(sum).as("bytes of all segments").isEqualTo(total);
    }
  }

  @Test
  void thereAreFewerSegmentsThanAskedForWhereThereAreTooFewKeys() throws IOException {
    try (OpenTables tables = tables(new MemDisk(), List.of())) {
      Slice one = Slice.whole(1, table(tables, 1, 7, 1, 1));
      assertThat(VirtualCompaction.cuts(tables, List.of(one), 3)).isEmpty();
      Slice two = Slice.whole(2, table(tables, 2, 9, 1, 1));
      assertThat(VirtualCompaction.cuts(tables, List.of(one, two), 3)).containsExactly(key(7));
    }
  }

  @Test
  void aDamagedTableIsNotCutInsideButStopsNoDelay() throws IOException {
    MemDisk disk = new MemDisk();
    Slice good;
    Slice damaged;
    try (OpenTables tables = tables(disk, List.of())) {
      good = Slice.whole(1, table(tables, 1, 0, 1, 3_000));
      damaged = Slice.whole(2, table(tables, 2, 1_000, 1, 1_000));
    }
    String file = disk.list().stream().filter(name -> name.startsWith("000002")).findAny().get();
    disk.setBytes(file, new byte[disk.bytes(file).length]);
    try (OpenTables tables = tables(disk, List.of(good.table(), damaged.table()))) {
      assertThat(tables.damaged()).hasSize(1);
      List<byte[]> cuts = VirtualCompaction.cuts(tables, List.of(good, damaged), 3);
      assertThat(cuts).hasSize(2);
      Slice window = new Slice(3, damaged.table(), new KeyWindow(key(1_500), null));
      assertThat(VirtualCompaction.cuts(tables, List.of(window), 3)).isEmpty();
    }
  }

  private static OpenTables tables(MemDisk disk, List<TableMeta> live) throws IOException {
    return OpenTables.open(
        disk, MemoryBudget.ofMebibytes(8), TableOptions.DEFAULT, FilterOptions.OFF, live);
  }

  private static TableMeta table(OpenTables tables, long number, int from, int apart, int entries)
      throws IOException {
    TableWriter writer = tables.create(number);
    byte[] value = new byte[100];
    for (int i = 0; i < entries; i++) {
      byte[] key = key(from + i * apart);
      writer.add(key, 0, key.length, i, EntryKind.PUT, value, 0, value.length);
    }
    return FinishedTable.of(tables, writer);
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** A window on a table of all letters. */
  private static Slice slice(long table, char low, char high) {
    TableMeta meta =
        new TableMeta(table, 100, 10, 0, 0, key('A'), key('z'), 1, 1, TableMeta.NO_FILTER);
    return new Slice(table * 1000 + low, meta, new KeyWindow(key(low), key(high)));
  }

  private static byte[] key(char letter) {
    return String.valueOf(letter).getBytes(US_ASCII);
  }

  private String drawn(List<Slice> line, String cuts) {
    List<byte[]> keys = new ArrayList<>();
    cuts.chars().forEach(letter -> keys.add(key((char) letter)));
    return VirtualCompaction.cut(line, keys, numbers::getAndIncrement).stream()
        .map(
            pieces ->
                pieces.stream()
                    .map(piece -> drawn(piece.table(), piece.window()))
                    .collect(Collectors.joining(" ")))
        .collect(Collectors.joining(" | "));
  }

  private static String drawn(List<Slice> line) {
    return line.stream()
        .map(slice -> drawn(slice.table().number(), slice.window()))
        .collect(Collectors.joining(" "));
  }

  private static String drawn(long table, KeyWindow window) {
    return "t"
        + table
        + "("
        + new String(window.low(), US_ASCII)
        + ".."
        + new String(window.high(), US_ASCII)
        + "]";
  }
}
