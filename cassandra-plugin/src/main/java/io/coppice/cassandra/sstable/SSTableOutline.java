// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

/**
 * Properties of one SSTable that a shape needs. Immutable, so that a shape can be built from real
 * and from projected SSTables alike.
 *
 * @param id identity within one snapshot; larger is younger
 * @param first the smallest key, inclusive
 * @param last the largest key, inclusive
 * @param level the level, 0 to {@link ShapeBuilder#DEEPEST_LEVEL}
 * @param bytes bytes on disk
 * @param entries an estimate of the rows and deleted partitions
 * @param tombstones an estimate of the deleted rows and partitions
 * @param claimed whether a compaction uses the SSTable
 * @param hidden an estimate of the older rows that the tombstones hide
 */
public record SSTableOutline<K extends Comparable<? super K>>(
    long id,
    K first,
    K last,
    int level,
    long bytes,
    long entries,
    long tombstones,
    boolean claimed,
    long hidden) {

  /**
   * Checks key order and level.
   *
   * @throws IllegalArgumentException if first exceeds last or the level is out of range
   */
  public SSTableOutline {
    if (first.compareTo(last) > 0 || level < 0 || level > ShapeBuilder.DEEPEST_LEVEL) {
      throw new IllegalArgumentException(
          "SSTable %s: first (%s) must not exceed last (%s) and level (%s) must be 0 to %s"
              .formatted(id, first, last, level, ShapeBuilder.DEEPEST_LEVEL));
    }
  }

  /** Returns an unclaimed outline with the same id and content, but other keys and level. */
  public <Q extends Comparable<? super Q>> SSTableOutline<Q> moved(Q newFirst, Q newLast, int to) {
    return new SSTableOutline<>(
        id, newFirst, newLast, to, bytes, entries, tombstones, false, hidden);
  }
}
