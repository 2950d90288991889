// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.io.Disk;
import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.table.TableMeta;
import io.coppice.table.TableSalvage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Orders tables of which nothing is known but what they say themselves.
 *
 * <ol>
 *   <li>Two tables that share keys, and whose sequence numbers do not lie one behind the other, are
 *       in no order of age. All that hang together so are merged, entry by entry, into tables of
 *       one cluster; and again with what the cluster meets, until no two clusters are so.
 *   <li>Of two clusters that share keys the one with the larger sequence numbers is newer. A
 *       cluster stands one run above the newest of the older clusters that it shares keys with, so
 *       a run holds no two that share keys, and a lookup meets the newest first.
 * </ol>
 */
final class Layers {

  /** Tables in one place, by ascending key, and what they span together. */
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

  private Layers() {}

  /**
   * Orders tables, and merges those that are in no order.
   *
   * @param tables sound ones, of one family
   * @param newestFirst orders tables by when they were made: of entries that stand in several of
   *     them the newest table's counts, as a merge may have folded operands there
   * @param numbers gives file numbers, each once
   */
  static Layers of(
      Disk disk,
      List<TableMeta> tables,
      Comparator<TableMeta> newestFirst,
      int family,
      LongSupplier numbers)
      throws IOException {
    Layers layers = new Layers();
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

  /** True if some of the tables share keys, so that the order matters. */
  boolean sharing() {
    return sharing;
  }

  /** How many tables were merged because they were in no order. */
  int merged() {
    return merged;
  }

  /** All in level 0, newest first. */
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
