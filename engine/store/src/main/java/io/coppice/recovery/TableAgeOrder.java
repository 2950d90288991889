// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.io.Disk;
import io.coppice.table.TableMeta;
import io.coppice.table.check.TableSalvage;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Age order of tables whose manifest is lost, from the tables' own metadata.
 *
 * <ol>
 *   <li>Two tables that share keys, and whose ranges of sequence numbers overlap, have no order of
 *       age. All tables connected in this way are merged, entry by entry, into the tables of one
 *       cluster. This repeats for the cluster and its neighbors until no two clusters are
 *       connected.
 *   <li>Among two clusters that share keys, the one with the larger sequence numbers is newer. A
 *       cluster gets a run one above the newest older cluster that shares its keys. The clusters of
 *       one run thus share no keys, and a lookup finds the newest entry first.
 * </ol>
 */
final class TableAgeOrder {

  /**
   * Tables connected by {@link TableAgeOrder}'s first rule, by ascending key, with their common
   * bounds, all inclusive.
   */
  private record Cluster(
      List<TableMeta> tables, byte[] low, byte[] high, long minSequence, long maxSequence) {

    static Cluster of(List<TableMeta> tables) {
      byte[] low = tables.get(0).smallestKey();
      byte[] high = tables.get(0).largestKey();
      long min = Long.MAX_VALUE;
      long max = 0;
      for (TableMeta table : tables) {
        low = Arrays.compareUnsigned(table.smallestKey(), low) < 0 ? table.smallestKey() : low;
        high = Arrays.compareUnsigned(table.largestKey(), high) > 0 ? table.largestKey() : high;
        min = Math.min(min, table.minSequence());
        max = Math.max(max, table.maxSequence());
      }
      return new Cluster(tables, low, high, min, max);
    }

    boolean sharesKeys(Cluster other) {
      return Arrays.compareUnsigned(low, other.high) <= 0
          && Arrays.compareUnsigned(other.low, high) <= 0;
    }

    boolean interleaves(Cluster other) {
      return sharesKeys(other)
          && minSequence <= other.maxSequence
          && other.minSequence <= maxSequence;
    }
  }

  private final List<Cluster> clusters = new ArrayList<>();
  private boolean sharing;
  private int merged;

  private TableAgeOrder() {}

  /**
   * Orders tables by age, and merges those without an order.
   *
   * @param tables undamaged tables of one family
   * @param newestFirst order of the tables' creation. Among equal entries in several tables the
   *     newest table's counts, because a merge may have combined operands there
   * @param family number of the tables' family
   * @param numbers returns file numbers, each once
   * @throws IOException if a table cannot be read or written; the given tables are unchanged
   */
  static TableAgeOrder of(
      Disk disk,
      List<TableMeta> tables,
      Comparator<TableMeta> newestFirst,
      int family,
      LongSupplier numbers)
      throws IOException {
    TableAgeOrder layers = new TableAgeOrder();
    List<Cluster> found = new ArrayList<>();
    for (TableMeta table : tables) {
      found.add(Cluster.of(List.of(table)));
    }
    layers.sharing = anyShare(found);
    for (Cluster cluster : join(found)) {
      if (cluster.tables.size() == 1) {
        layers.clusters.add(cluster);
      } else {
        layers.merged += cluster.tables.size();
        List<TableMeta> sources = new ArrayList<>(cluster.tables);
        sources.sort(newestFirst);
        layers.clusters.add(Cluster.of(TableSalvage.merge(disk, sources, family, numbers)));
      }
    }
    return layers;
  }

  private static boolean anyShare(List<Cluster> clusters) {
    List<Cluster> sorted = new ArrayList<>(clusters);
    sorted.sort((a, b) -> Arrays.compareUnsigned(a.low, b.low));
    byte[] reached = null;
    for (Cluster cluster : sorted) {
      if (reached != null && Arrays.compareUnsigned(cluster.low, reached) <= 0) {
        return true;
      }
      boolean further = reached == null || Arrays.compareUnsigned(cluster.high, reached) > 0;
      reached = further ? cluster.high : reached;
    }
    return false;
  }

  private static List<Cluster> join(List<Cluster> singles) {
    List<Cluster> joined = new ArrayList<>();
    for (Cluster single : singles) {
      Cluster grown = single;
      boolean again = true;
      while (again) {
        again = false;
        for (int i = joined.size() - 1; i >= 0; i--) {
          if (joined.get(i).interleaves(grown)) {
            List<TableMeta> all = new ArrayList<>(joined.remove(i).tables);
            all.addAll(grown.tables);
            grown = Cluster.of(all);
            again = true;
          }
        }
      }
      joined.add(grown);
    }
    return joined;
  }

  /** Returns whether some tables share keys, so that their order of age matters. */
  boolean sharing() {
    return sharing;
  }

  /** Returns the number of tables merged for lack of an order. */
  int merged() {
    return merged;
  }

  /**
   * Returns a version with all tables in level 0, newest run first.
   *
   * @param numbers returns ids for runs and slices, each once
   */
  Version version(LongSupplier numbers) {
    List<Cluster> oldestFirst = new ArrayList<>(clusters);
    oldestFirst.sort(Comparator.comparingLong(Cluster::maxSequence));
    List<List<Cluster>> layers = new ArrayList<>();
    for (Cluster cluster : oldestFirst) {
      int layer = 0;
      for (int i = layers.size() - 1; i >= 0 && layer == 0; i--) {
        layer = layers.get(i).stream().anyMatch(cluster::sharesKeys) ? i + 1 : 0;
      }
      if (layer == layers.size()) {
        layers.add(new ArrayList<>());
      }
      layers.get(layer).add(cluster);
    }
    List<Run> runs = new ArrayList<>();
    for (List<Cluster> layer : layers) {
      List<TableMeta> tables = new ArrayList<>();
      layer.forEach(cluster -> tables.addAll(cluster.tables));
      tables.sort((a, b) -> Arrays.compareUnsigned(a.smallestKey(), b.smallestKey()));
      List<Segment> segments =
          tables.stream()
              .map(table -> Segment.of(Slice.whole(numbers.getAsLong(), table)))
              .toList();
      runs.add(0, new Run(numbers.getAsLong(), segments, Set.of()));
    }
    return new Version(List.of(new Level(runs)));
  }
}
