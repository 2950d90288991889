// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * Where every table of one key space lies at one instant, and the merges under way: what a picture
 * of it is drawn from. Columns instead of records, as there may be thousands of tables: the values
 * of one table, or of one slice of it, stand at the same index of each. The arrays are shared and
 * must not be written to.
 *
 * @param name the table in Cassandra's sense, or store and family
 * @param atMillis since 1970
 * @param axis what low and high count: {@code token} for shares of the ring, {@code rank} for
 *     places in the order of all bounds, which are evenly spread and mean nothing a moment later
 * @param parts what the host compacts apart, see {@link StrategySnapshot.Run}
 * @param part an index of {@code parts}
 * @param level level 0 first
 * @param run its place in the level, 0 newest
 * @param low where it begins, from 0 to 1
 * @param high where it ends, from 0 to 1, at least {@code low}
 * @param table the table's identity; the slices of one table share it
 * @param bytes on disk, of the slice
 * @param entries of the slice
 * @param droppable the share of its entries that are deletions old enough to go
 * @param group of the virtual segment that it is part of; 0 for none
 * @param parents tables that its virtual segment hangs together of; 0 for none
 * @param merge an index of {@code merges}; {@link #FREE} if nothing uses the table, {@link
 *     #CLAIMED} if something does that is not among them
 * @param lowKeys the smallest key, or its token, as text
 * @param highKeys the largest likewise
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
    double[] droppable,
    long[] group,
    int[] parents,
    int[] merge,
    List<String> lowKeys,
    List<String> highKeys,
    List<Merge> merges) {

  /** Shares of the ring. */
  public static final String TOKEN = "token";

  /** Places in the order of all bounds. */
  public static final String RANK = "rank";

  /** No plan uses the table. */
  public static final int FREE = -1;

  /** Something uses the table that is not among the merges told. */
  public static final int CLAIMED = -2;

  /** Copies the lists, and checks that all columns are of one length. */
  public TableMap {
    parts = List.copyOf(parts);
    lowKeys = List.copyOf(lowKeys);
    highKeys = List.copyOf(highKeys);
    merges = List.copyOf(merges);
    int[] lengths = {
      level.length,
      run.length,
      low.length,
      high.length,
      table.length,
      bytes.length,
      entries.length,
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
   * A merge under way.
   *
   * @param id names it to {@link StrategyMXBean#stopMerge}
   * @param level of its outputs
   * @param low where its inputs begin, as in the columns
   * @param high where they end
   * @param watermark up to where it has come; {@code low} at its start
   * @param inputBytes of all its inputs when it began
   * @param doneBytes of these, what it has read
   * @param startedMillis since 1970; 0 if not known
   * @param code why, for machines, see {@link Reason#code}
   * @param sentence why, for people
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

  /** How many tables and slices of tables there are. */
  public int size() {
    return part.length;
  }

  /**
   * A table, or a slice of one, on its way into the columns.
   *
   * @param part the name of its part
   * @param merge as in the columns
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
      double droppable,
      long group,
      int parents,
      int merge,
      String lowKey,
      String highKey) {}

  /** The map of these tables and merges. */
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
        places.stream().mapToDouble(Place::droppable).toArray(),
        places.stream().mapToLong(Place::group).toArray(),
        places.stream().mapToInt(Place::parents).toArray(),
        places.stream().mapToInt(Place::merge).toArray(),
        places.stream().map(Place::lowKey).toList(),
        places.stream().map(Place::highKey).toList(),
        merges);
  }
}
