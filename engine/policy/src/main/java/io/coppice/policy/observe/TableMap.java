// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import io.coppice.policy.Reason;
import java.util.List;

/**
 * Positions of all tables of one key space at one instant, and the running merges: the data of a
 * picture. Rows are in no particular order. It has columns instead of records because there may be
 * thousands of tables. The values of one table, or of one slice, have the same index in every
 * column. Callers share the arrays and must not write to them.
 *
 * @param name the table, {@code keyspace.table} in Cassandra; store and family in a store
 * @param atMillis time in milliseconds since 1970
 * @param axis unit of low and high: {@code token} for fractions of the ring, {@code rank} for
 *     positions in the order of all bounds. Ranks are evenly spaced and only valid within one map
 * @param parts sets of tables that the host compacts separately, see {@link StrategySnapshot.Run}
 * @param part an index of {@code parts}
 * @param level number of the level, from 0
 * @param run position in the level, 0 newest
 * @param low start of the range, from 0 to 1
 * @param high end of the range, from 0 to 1, at least {@code low}
 * @param table the table's identity; the slices of one table share it
 * @param bytes bytes on disk of the slice, estimated where it is a part of its table
 * @param entries entries of the slice
 * @param deletions deletions among the entries, in Cassandra an estimate; 0 if unknown
 * @param droppable the fraction of the entries that are tombstones old enough to drop
 * @param group group of its virtual segment; 0 for none
 * @param parents parents of its virtual segment; 0 for none
 * @param merge an index of {@code merges}; -1 ({@link #FREE}) if nothing uses the table, -2 ({@link
 *     #CLAIMED}) if anything else uses it
 * @param lowKeys the smallest key, or its token, as text
 * @param highKeys the largest key, or its token, as text
 * @param merges the running merges
 */
public record TableMap(
    String name,
    long atMillis,
    String axis,
    List<String> parts,
    int[] part,
    int[] level,
    int[] run,
    double[] low,
    double[] high,
    long[] table,
    long[] bytes,
    long[] entries,
    long[] deletions,
    double[] droppable,
    long[] group,
    int[] parents,
    int[] merge,
    List<String> lowKeys,
    List<String> highKeys,
    List<Merge> merges) {

  /** Axis whose positions are fractions of the token ring. */
  public static final String TOKEN = "token";

  /** Axis whose positions are evenly spaced ranks of all bounds. */
  public static final String RANK = "rank";

  /** Value of {@code merge} for a table that no plan uses. */
  public static final int FREE = -1;

  /** Value of {@code merge} for a table that anything except the listed merges uses. */
  public static final int CLAIMED = -2;

  /**
   * Copies the lists and checks that all columns have the same length. An empty column of
   * deletions, as in the map of an older version, becomes zeros.
   *
   * @throws IllegalArgumentException if lengths differ
   */
  public TableMap {
    parts = List.copyOf(parts);
    lowKeys = List.copyOf(lowKeys);
    highKeys = List.copyOf(highKeys);
    merges = List.copyOf(merges);
    deletions = deletions.length == 0 ? new long[part.length] : deletions;
    int[] lengths = {
      level.length,
      run.length,
      low.length,
      high.length,
      table.length,
      bytes.length,
      entries.length,
      deletions.length,
      droppable.length,
      group.length,
      parents.length,
      merge.length,
      lowKeys.size(),
      highKeys.size()
    };
    for (int length : lengths) {
      if (length != part.length) {
        throw new IllegalArgumentException(
            "columns of " + length + " and " + part.length + " tables side by side");
      }
    }
  }

  /**
   * A running merge with its progress.
   *
   * @param id name of the merge for {@link StrategyMXBean#stopMerge}
   * @param level level of its outputs
   * @param low start of its inputs, as in the columns
   * @param high end of its inputs, as in the columns
   * @param watermark position that the merge has reached; {@code low} at its start
   * @param inputBytes bytes of all its inputs when it began, counted like {@code doneBytes}
   * @param doneBytes the part of {@code inputBytes} that it has read
   * @param startedMillis time in milliseconds since 1970; 0 if unknown
   * @param code reason for machines, see {@link Reason#code}. In Cassandra it is {@code merge}, or
   *     {@code compaction} for one of Cassandra's own tasks; stopping such a task discards its
   *     unfinished work
   * @param sentence reason for people
   */
  public record Merge(
      String id,
      int level,
      double low,
      double high,
      double watermark,
      long inputBytes,
      long doneBytes,
      long startedMillis,
      String code,
      String sentence) {}

  /** Returns the number of rows: whole tables and slices of tables. */
  public int size() {
    return part.length;
  }

  /**
   * A table, or a slice of one, as a row for the columns.
   *
   * @param part the name of its part
   * @param merge value as in the column
   */
  public record Place(
      String part,
      int level,
      int run,
      double low,
      double high,
      long table,
      long bytes,
      long entries,
      long deletions,
      double droppable,
      long group,
      int parents,
      int merge,
      String lowKey,
      String highKey) {}

  /**
   * Returns the map of the given tables and merges. Its rows keep their order, and its parts are in
   * the order of their first row.
   */
  public static TableMap of(
      String name, long atMillis, String axis, List<Place> places, List<Merge> merges) {
    List<String> parts = places.stream().map(Place::part).distinct().toList();
    return new TableMap(
        name,
        atMillis,
        axis,
        parts,
        places.stream().mapToInt(place -> parts.indexOf(place.part)).toArray(),
        places.stream().mapToInt(Place::level).toArray(),
        places.stream().mapToInt(Place::run).toArray(),
        places.stream().mapToDouble(Place::low).toArray(),
        places.stream().mapToDouble(Place::high).toArray(),
        places.stream().mapToLong(Place::table).toArray(),
        places.stream().mapToLong(Place::bytes).toArray(),
        places.stream().mapToLong(Place::entries).toArray(),
        places.stream().mapToLong(Place::deletions).toArray(),
        places.stream().mapToDouble(Place::droppable).toArray(),
        places.stream().mapToLong(Place::group).toArray(),
        places.stream().mapToInt(Place::parents).toArray(),
        places.stream().mapToInt(Place::merge).toArray(),
        places.stream().map(Place::lowKey).toList(),
        places.stream().map(Place::highKey).toList(),
        merges);
  }
}
