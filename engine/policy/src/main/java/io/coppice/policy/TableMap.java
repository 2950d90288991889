// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
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
   * @param code why, for machines, see {@link Reason#code}; in Cassandra {@code merge}, or {@code
   *     compaction} for a task of Cassandra's own, of which a stop drops what is not finished
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
    int size = places.size();
    List<String> names = new ArrayList<>();
    List<String> lowKeys = new ArrayList<>();
    List<String> highKeys = new ArrayList<>();
    int[][] whole = new int[5][size];
    double[][] real = new double[3][size];
    long[][] large = new long[4][size];
    for (int i = 0; i < size; i++) {
      Place place = places.get(i);
      if (!names.contains(place.part)) {
        names.add(place.part);
      }
      whole[0][i] = names.indexOf(place.part);
      whole[1][i] = place.level;
      whole[2][i] = place.run;
      whole[3][i] = place.parents;
      whole[4][i] = place.merge;
      real[0][i] = place.low;
      real[1][i] = place.high;
      real[2][i] = place.droppable;
      large[0][i] = place.table;
      large[1][i] = place.bytes;
      large[2][i] = place.entries;
      large[3][i] = place.group;
      lowKeys.add(place.lowKey);
      highKeys.add(place.highKey);
    }
    return new TableMap(
        name, atMillis, axis, names, whole[0], whole[1], whole[2], real[0], real[1], large[0],
        large[1], large[2], real[2], large[3], whole[3], whole[4], lowKeys, highKeys, merges);
  }
}
