// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a table of rows (pk, ck) must show: cells with their timestamps, deletions of five kinds,
 * and expiry, reconciled as Cassandra does, the newest timestamp winning. No two writes have the
 * same timestamp. Every column is a map of cells: a simple one has the key {@code ""}, a set and a
 * list have their elements as keys.
 *
 * <p>An expiring cell has a span of seconds in which it expires, and a read one in which it took
 * place; where they overlap either answer is right.
 */
final class CqlModel {

  /** Never expires. */
  static final long NEVER = Long.MAX_VALUE;

  private static final long NOT_DELETED = Long.MIN_VALUE;

  /** Seconds of the epoch, both inclusive. */
  record Span(long from, long to) {}

  /**
   * A cell.
   *
   * @param value null for one that was deleted
   * @param expires when it stops to be seen; {@link #NEVER} on both sides for never
   */
  record Cell(long timestamp, Object value, Span expires) {

    private boolean surely(long deleted, Span read) {
      return possibly(deleted, read) && read.to < expires.from;
    }

    private boolean possibly(long deleted, Span read) {
      return value != null && timestamp > deleted && read.from < expires.to;
    }
  }

  private static final class Column {
    private long deleted = NOT_DELETED;
    private final TreeMap<Object, Cell> cells = new TreeMap<>();
  }

  /** A row, or the static part of a partition. */
  private static final class Row {
    private long deleted = NOT_DELETED;
    private Cell marker = new Cell(NOT_DELETED, null, new Span(NEVER, NEVER));
    private final TreeMap<String, Column> columns = new TreeMap<>();

    private Column column(String name) {
      return columns.computeIfAbsent(name, absent -> new Column());
    }
  }

  private record RangeDeletion(int from, int to, long timestamp) {}

  private static final class Partition {
    private long deleted = NOT_DELETED;
    private final List<RangeDeletion> ranges = new ArrayList<>();
    private final Row fixed = new Row();
    private final TreeMap<Integer, Row> rows = new TreeMap<>();

    private long deleted(int ck, Row row) {
      long newest = Math.max(deleted, row.deleted);
      for (RangeDeletion range : ranges) {
        if (range.from <= ck && ck <= range.to) {
          newest = Math.max(newest, range.timestamp);
        }
      }
      return newest;
    }
  }

  private final TreeMap<Integer, Partition> partitions = new TreeMap<>();

  private Partition partition(int pk) {
    return partitions.computeIfAbsent(pk, absent -> new Partition());
  }

  /** Null for the static part. */
  private Row row(int pk, Integer ck) {
    Partition partition = partition(pk);
    return ck == null ? partition.fixed : partition.rows.computeIfAbsent(ck, absent -> new Row());
  }

  // --- writes ---

  /** What INSERT does beside writing cells. */
  void mark(int pk, int ck, long timestamp, Span expires) {
    Row row = row(pk, ck);
    if (timestamp > row.marker.timestamp) {
      row.marker = new Cell(timestamp, "", expires);
    }
  }

  /** Writes a cell, of the static part if ck is null. */
  void put(int pk, Integer ck, String column, Object key, Cell cell) {
    row(pk, ck)
        .column(column)
        .cells
        .merge(key, cell, (old, put) -> put.timestamp > old.timestamp ? put : old);
  }

  /** Deletes all elements of a column. */
  void deleteColumn(int pk, Integer ck, String column, long timestamp) {
    Column cells = row(pk, ck).column(column);
    cells.deleted = Math.max(cells.deleted, timestamp);
  }

  void deleteRow(int pk, int ck, long timestamp) {
    Row row = row(pk, ck);
    row.deleted = Math.max(row.deleted, timestamp);
  }

  /** Both inclusive. */
  void deleteRange(int pk, int from, int to, long timestamp) {
    partition(pk).ranges.add(new RangeDeletion(from, to, timestamp));
  }

  void deletePartition(int pk, long timestamp) {
    Partition partition = partition(pk);
    partition.deleted = Math.max(partition.deleted, timestamp);
  }

  void truncate() {
    partitions.clear();
  }

  /** Forgets what cannot matter any more if all writes to come are newer than that. */
  void forget(long timestamp, Span now) {
    for (Partition partition : partitions.values()) {
      partition.rows.forEach((ck, row) -> row.deleted = partition.deleted(ck, row));
      partition.ranges.removeIf(range -> range.timestamp <= timestamp);
      partition.rows.values().forEach(row -> forget(row, row.deleted, timestamp, now));
      forget(partition.fixed, partition.deleted, timestamp, now);
      partition
          .rows
          .values()
          .removeIf(
              row ->
                  row.deleted <= timestamp
                      && row.marker.timestamp <= timestamp
                      && row.columns.isEmpty()
                      && !row.marker.possibly(row.deleted, now));
    }
  }

  private static void forget(Row row, long deleted, long timestamp, Span now) {
    for (Column column : row.columns.values()) {
      long newest = Math.max(deleted, column.deleted);
      column
          .cells
          .values()
          .removeIf(cell -> cell.timestamp <= timestamp && !cell.possibly(newest, now));
    }
    row.columns.values().removeIf(column -> column.cells.isEmpty() && column.deleted <= timestamp);
  }

  // --- reads ---

  /**
   * What a read may show of a row.
   *
   * @param sure by column and key, what it must show
   * @param possible what it may show, with what it must
   * @param present whether the row must be there
   * @param maybe whether it may be there
   */
  record Expected(
      Map<String, Map<Object, Object>> sure,
      Map<String, Map<Object, Object>> possible,
      boolean present,
      boolean maybe) {

    /** Says what is wrong with columns that were read; null if nothing is. */
    String fault(Map<String, Map<Object, Object>> found) {
      TreeSet<String> columns = new TreeSet<>(found.keySet());
      columns.addAll(sure.keySet());
      for (String column : columns) {
        Map<Object, Object> cells = found.getOrDefault(column, Map.of());
        Map<Object, Object> must = sure.getOrDefault(column, Map.of());
        Map<Object, Object> may = possible.getOrDefault(column, Map.of());
        for (Map.Entry<Object, Object> cell : must.entrySet()) {
          if (!cells.containsKey(cell.getKey())) {
            return "lost: " + column + " " + shown(cell);
          }
        }
        for (Map.Entry<Object, Object> cell : cells.entrySet()) {
          Object wanted = may.get(cell.getKey());
          if (wanted == null) {
            return "came back: " + column + " " + shown(cell);
          }
          if (!wanted.equals(cell.getValue())) {
            return "stale: " + column + " " + shown(cell) + ", should be " + shown(wanted);
          }
        }
      }
      return null;
    }

    private static String shown(Map.Entry<Object, Object> cell) {
      return cell.getKey() + "=" + shown(cell.getValue());
    }

    private static String shown(Object value) {
      return value instanceof ByteBuffer encoded
          ? StandardCharsets.UTF_8.decode(encoded.duplicate()).toString()
          : String.valueOf(value);
    }
  }

  /** The static part of a partition. */
  Expected fixed(int pk, Span read) {
    Partition partition = partitions.getOrDefault(pk, new Partition());
    return expected(partition.fixed, partition.deleted, read);
  }

  /** Rows that must or may be seen, by ascending ck. */
  TreeMap<Integer, Expected> rows(int pk, Span read) {
    TreeMap<Integer, Expected> rows = new TreeMap<>();
    Partition partition = partitions.getOrDefault(pk, new Partition());
    partition.rows.forEach(
        (ck, row) -> {
          Expected expected = expected(row, partition.deleted(ck, row), read);
          if (expected.maybe) {
            rows.put(ck, expected);
          }
        });
    return rows;
  }

  private static Expected expected(Row row, long deleted, Span read) {
    Map<String, Map<Object, Object>> sure = new TreeMap<>();
    Map<String, Map<Object, Object>> possible = new TreeMap<>();
    row.columns.forEach(
        (name, column) -> {
          long newest = Math.max(deleted, column.deleted);
          column.cells.forEach(
              (key, cell) -> {
                if (cell.surely(newest, read)) {
                  sure.computeIfAbsent(name, absent -> new TreeMap<>()).put(key, cell.value);
                }
                if (cell.possibly(newest, read)) {
                  possible.computeIfAbsent(name, absent -> new TreeMap<>()).put(key, cell.value);
                }
              });
        });
    return new Expected(
        sure,
        possible,
        !sure.isEmpty() || row.marker.surely(deleted, read),
        !possible.isEmpty() || row.marker.possibly(deleted, read));
  }
}
