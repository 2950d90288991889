// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;
import io.coppice.io.MemDisk;
import io.coppice.table.FilterOptions;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.TableSeries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Contents whose cuts and bytes are those of the engine's own tables: whatever is flushed or merged
 * here is also written by the engine's writer, on a disk in memory, and forgotten.
 */
final class EngineTables extends Versions {

  private final long tableBytes;
  private final Function<Integer, byte[]> keys;
  private final byte[] value;
  private final MemDisk disk = new MemDisk();
  private final OpenTables tables;
  private final Map<NavigableMap<Integer, Long>, Long> bytes = new IdentityHashMap<>();
  private long numbers;

  /**
   * A load.
   *
   * @param keys the bytes of a key, in the order of the numbers
   * @param value the one value of all keys
   * @param memtables the keys of each flush in the order in which they are written
   */
  EngineTables(
      long tableBytes, Function<Integer, byte[]> keys, byte[] value, List<int[]> memtables) {
    super(Integer.MAX_VALUE, memtables);
    this.tableBytes = tableBytes;
    this.keys = keys;
    this.value = value;
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
    try (TableSeries series =
            new TableSeries(disk, tables, () -> ++numbers, tableBytes, Long.MAX_VALUE);
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
        bytes.put(cut.get(from++), table.bytes());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cut;
  }

  @Override
  public long bytes(NavigableMap<Integer, Long> content) {
    return bytes.get(content);
  }

  @Override
  public NavigableMap<Integer, Long> window(
      NavigableMap<Integer, Long> content, int low, int high) {
    throw new UnsupportedOperationException("windows have no bytes of their own on a disk");
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
      return at.getValue();
    }

    @Override
    public Kind kind() {
      return Kind.PUT;
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
      return value.length;
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
    public void seek(byte[] to, int offset, int length) {
      throw new UnsupportedOperationException("forward only");
    }

    @Override
    public void seekForPrev(byte[] to, int offset, int length) {
      throw new UnsupportedOperationException("forward only");
    }

    @Override
    public void close() {
      // Holds nothing.
    }
  }
}
