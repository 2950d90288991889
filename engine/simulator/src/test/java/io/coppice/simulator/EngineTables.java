// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.base.MemoryBudget;
import io.coppice.compaction.DelayCuts;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.io.MemDisk;
import io.coppice.table.KeyWindow;
import io.coppice.table.OpenTables;
import io.coppice.table.RollingTableWriter;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.filter.FilterOptions;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Contents whose cuts and bytes are those of the engine's own tables: whatever is flushed or merged
 * here is also written by the engine's writer, on a disk in memory, and stays there, as windows
 * have the size that the table's index tells, and are cut at keys of the index.
 */
final class EngineTables extends Versions {

  private final long tableBytes;
  private final Function<Integer, byte[]> keys;
  private final byte[] value;
  private final List<int[]> lookups;
  private final MemDisk disk = new MemDisk();
  private final OpenTables tables;

  /** What each content shows of a table. */
  private final Map<NavigableMap<Integer, Long>, Slice> slices = new IdentityHashMap<>();

  /** Where a cut does not lie at a key of the load: the key of the index, by the rank below it. */
  private final Map<Integer, byte[]> cutKeys = new HashMap<>();

  private long numbers;
  private int flushes;
  private int lookedUp;

  /**
   * A load.
   *
   * @param keys the bytes of a key, in the order of the numbers
   * @param value the one value of all keys
   * @param memtables the keys of each flush in the order in which they are written; {@code ~key}
   *     deletes a key
   * @param lookups the keys looked up after each flush
   */
  EngineTables(
      long tableBytes,
      Function<Integer, byte[]> keys,
      byte[] value,
      List<int[]> memtables,
      List<int[]> lookups) {
    super(Integer.MAX_VALUE, memtables);
    this.tableBytes = tableBytes;
    this.keys = keys;
    this.value = value;
    this.lookups = lookups;
    try {
      MemoryBudget memory = MemoryBudget.ofMebibytes(64);
      tables = OpenTables.open(disk, memory, TableOptions.DEFAULT, FilterOptions.OFF, List.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  List<NavigableMap<Integer, Long>> cut(NavigableMap<Integer, Long> entries) {
    List<NavigableMap<Integer, Long>> cut = new ArrayList<>();
    try (RollingTableWriter series =
            new RollingTableWriter(disk, tables, () -> ++numbers, tableBytes);
        Row row = new Row(entries)) {
      int from = 0;
      NavigableMap<Integer, Long> content = new TreeMap<>();
      for (row.first(); row.valid(); row.next()) {
        if (series.full()) {
          series.cut(null);
          cut.add(content);
          content = new TreeMap<>();
        }
        series.add(row);
        content.put(row.at.getKey(), row.at.getValue());
      }
      if (!content.isEmpty()) {
        series.cut(null);
        cut.add(content);
      }
      for (TableMeta table : series.finished()) {
        slices.put(cut.get(from++), Slice.whole(++numbers, table));
      }
      series.syncFinished();
      series.handTo(() -> {}, table -> true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cut;
  }

  @Override
  public List<NavigableMap<Integer, Long>> flush() {
    flushes++;
    lookedUp = 0;
    return super.flush();
  }

  @Override
  public int lookup() {
    return lookups.get(flushes - 1)[lookedUp++];
  }

  @Override
  public long bytes(NavigableMap<Integer, Long> content) {
    return size(content).bytes();
  }

  @Override
  public double entries(NavigableMap<Integer, Long> content) {
    return size(content).entries();
  }

  @Override
  public double deletions(NavigableMap<Integer, Long> content) {
    return size(content).tombstones();
  }

  /** Each deletion hides one entry. A window has its share of the table's deletions, by bytes. */
  @Override
  public double hidden(NavigableMap<Integer, Long> content) {
    TableMeta table = slices.get(content).table();
    return Math.floor((double) size(content).bytes() / table.bytes() * table.tombstones());
  }

  private SliceSize size(NavigableMap<Integer, Long> content) {
    return SliceSize.of(tables, slices.get(content));
  }

  @Override
  public NavigableMap<Integer, Long> window(
      NavigableMap<Integer, Long> content, int low, int high) {
    NavigableMap<Integer, Long> part = new TreeMap<>(content.subMap(low, true, high, true));
    byte[] above = low == content.firstKey() ? null : bound(low - 1);
    byte[] last = high == content.lastKey() ? null : bound(high);
    TableMeta table = slices.get(content).table();
    slices.put(part, new Slice(++numbers, table, new KeyWindow(above, last)));
    return part;
  }

  private byte[] bound(int rank) {
    byte[] cut = cutKeys.get(rank);
    return cut == null ? keys.apply(rank) : cut;
  }

  @Override
  public int[] cuts(List<NavigableMap<Integer, Long>> contents, int parts) {
    List<Slice> line = contents.stream().map(slices::get).toList();
    List<byte[]> found = DelayCuts.of(tables, line, parts);
    int[] ranks = new int[found.size()];
    for (int i = 0; i < ranks.length; i++) {
      ranks[i] = rankUpTo(found.get(i));
      byte[] before = cutKeys.put(ranks[i], found.get(i));
      if (before != null && !Arrays.equals(before, found.get(i))) {
        throw new IllegalStateException("two cuts right behind rank " + ranks[i]);
      }
    }
    return ranks;
  }

  /** The largest rank of which the key is no larger. */
  private int rankUpTo(byte[] key) {
    int low = 0;
    int high = Integer.MAX_VALUE;
    while (low < high) {
      int middle = low + (high - low) / 2 + 1;
      if (Arrays.compareUnsigned(keys.apply(middle), key) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The entries as the engine's writer wants them. */
  private final class Row implements EntryCursor {

    private final NavigableMap<Integer, Long> entries;
    private Iterator<Map.Entry<Integer, Long>> rest;
    private Map.Entry<Integer, Long> at;
    private byte[] key;

    Row(NavigableMap<Integer, Long> entries) {
      this.entries = entries;
    }

    @Override
    public void first() {
      rest = entries.entrySet().iterator();
      next();
    }

    @Override
    public void next() {
      at = rest.hasNext() ? rest.next() : null;
      key = at == null ? null : keys.apply(at.getKey());
    }

    @Override
    public boolean valid() {
      return at != null;
    }

    @Override
    public byte[] keyArray() {
      return key;
    }

    @Override
    public int keyOffset() {
      return 0;
    }

    @Override
    public int keyLength() {
      return key.length;
    }

    @Override
    public long sequence() {
      return Math.abs(at.getValue());
    }

    @Override
    public EntryKind kind() {
      return at.getValue() < 0 ? EntryKind.DELETE : EntryKind.PUT;
    }

    @Override
    public byte[] valueArray() {
      return value;
    }

    @Override
    public int valueOffset() {
      return 0;
    }

    @Override
    public int valueLength() {
      return at.getValue() < 0 ? 0 : value.length;
    }

    @Override
    public void last() {
      throw new UnsupportedOperationException("forward only");
    }

    @Override
    public void prev() {
      throw new UnsupportedOperationException("forward only");
    }

    @Override
    public void seek(byte[] to, int offset, int length, long sequence) {
      throw new UnsupportedOperationException("forward only");
    }

    @Override
    public void seekBefore(byte[] to, int offset, int length, long sequence) {
      throw new UnsupportedOperationException("forward only");
    }

    @Override
    public void close() {
      // Holds nothing.
    }
  }
}
