// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Collectors;

/**
 * Rule that moves SSTables of level 0 to the deeper level that fits their size, without rewriting.
 *
 * <p>Runs follow from overlap alone, so flushes that do not overlap look like one run. A policy
 * would leave them in level 0 forever. Two kinds of SSTables move:
 *
 * <ul>
 *   <li><em>Lone</em> SSTables overlap no other SSTable of level 0. They move once there are as
 *       many as the fanout; if flushes are cut into shards, as many as the fanout times the shards.
 *       They are trees of flushes that need no merge (SifrDB, section 3.2, moves data without
 *       overlap).
 *   <li><em>Huge</em> SSTables were left by another strategy, a bulk load or a restore. Without the
 *       move, the first merge of flushes would rewrite all their bytes.
 * </ul>
 *
 * Both go to the level whose runs are as large as the run that contains them. Level i has runs of
 * base * fanout^i bytes. An SSTable over a share of the keys counts as bytes / share, as in
 * Cassandra's unified strategy, but as at most all bytes of the table.
 *
 * @param tableBytes the size of the outputs of merges, in bytes on disk
 * @param fanout the size ratio of the runs of adjacent levels, at least 2
 * @param shards the number of SSTables into which one flush may be cut, at least 1; those of one
 *     flush are lone until the next flush comes
 */
public record Placement(long tableBytes, int fanout, int shards) {

  // Least level that makes an SSTable huge. Up to two levels of difference, a merge with flushes
  // costs little.
  private static final int MIN_LEVEL_OF_HUGE = 2;

  /**
   * Returns the moves for one snapshot.
   *
   * @param outlines the SSTables of the snapshot
   * @param span returns the share of all possible keys between two keys, above 0 and at most 1
   * @param flushBytes the mean size of a flush in bytes on disk, 0 if unknown
   * @return ids of SSTables by target level, in the order of the outlines; claimed ones are left
   *     out
   */
  public <K extends Comparable<? super K>> TreeMap<Integer, List<Long>> moves(
      List<SSTableOutline<K>> outlines, ToDoubleBiFunction<K, K> span, long flushBytes) {
    TreeMap<Integer, List<Long>> moves = new TreeMap<>();
    List<SSTableOutline<K>> flushes =
        outlines.stream().filter(outline -> outline.level() == 0).toList();
    if (flushes.isEmpty()) {
      return moves;
    }
    K first =
        outlines.stream().map(SSTableOutline::first).min(Comparator.naturalOrder()).orElseThrow();
    K last =
        outlines.stream().map(SSTableOutline::last).max(Comparator.naturalOrder()).orElseThrow();
    double wholeSpan = span.applyAsDouble(first, last);
    long total = outlines.stream().mapToLong(SSTableOutline::bytes).sum();
    long base = Math.max(tableBytes, flushBytes);
    List<SSTableOutline<K>> lone = lone(flushes);
    Set<Long> loneIds = lone.stream().map(SSTableOutline::id).collect(Collectors.toSet());
    for (SSTableOutline<K> flush : flushes) {
      double share = Math.min(1, span.applyAsDouble(flush.first(), flush.last()) / wholeSpan);
      int level = level(Math.min(total, flush.bytes() / share), base);
      boolean huge = flush.bytes() >= base && level >= MIN_LEVEL_OF_HUGE;
      boolean leaves = lone.size() >= fanout * shards && loneIds.contains(flush.id());
      if (!flush.claimed() && (huge || leaves)) {
        moves.computeIfAbsent(Math.max(1, level), target -> new ArrayList<>()).add(flush.id());
      }
    }
    return moves;
  }

  private int level(double runBytes, long baseBytes) {
    int level = 0;
    for (double size = baseBytes; size * fanout <= runBytes; size *= fanout) {
      level++;
    }
    return Math.min(level, ShapeBuilder.DEEPEST_LEVEL);
  }

  /** Returns the outlines that overlap no other outline of the list, by ascending key. */
  static <K extends Comparable<? super K>> List<SSTableOutline<K>> lone(
      List<SSTableOutline<K>> outlines) {
    return clusters(outlines).stream()
        .filter(cluster -> cluster.size() == 1)
        .map(cluster -> cluster.get(0))
        .toList();
  }

  /**
   * Divides outlines at every key that no outline spans.
   *
   * @return overlap clusters by ascending key
   */
  public static <K extends Comparable<? super K>> List<List<SSTableOutline<K>>> clusters(
      List<SSTableOutline<K>> outlines) {
    List<SSTableOutline<K>> sorted = new ArrayList<>(outlines);
    sorted.sort(Comparator.comparing(SSTableOutline::first));
    List<List<SSTableOutline<K>>> clusters = new ArrayList<>();
    K high = null;
    for (SSTableOutline<K> outline : sorted) {
      if (high == null || high.compareTo(outline.first()) < 0) {
        clusters.add(new ArrayList<>());
      }
      clusters.get(clusters.size() - 1).add(outline);
      high = high == null || high.compareTo(outline.last()) < 0 ? outline.last() : high;
    }
    return clusters;
  }
}
