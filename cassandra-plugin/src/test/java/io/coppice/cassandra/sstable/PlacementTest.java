// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Keys are numbers on a ring of a thousand; sizes in the tests are megabytes. */
final class PlacementTest {

  private static final long MB = 1L << 20;
  private static final double RING = 1000;

  private final List<SSTableOutline<Integer>> outlines = new ArrayList<>();

  @Test
  void flushesThatOverlapStay() {
    for (int flush = 0; flush < 10; flush++) {
      add(0, 999, 0, 33);
    }
    assertThat(moves(33)).isEmpty();
  }

  @Test
  void loneFlushesLeaveOnceThereAreAsManyAsTheFanout() {
    for (int slice = 0; slice < 3; slice++) {
      add(slice * 10, slice * 10 + 9, 0, 33);
    }
    assertThat(moves(33)).isEmpty();
    add(30, 39, 0, 33);
    assertThat(moves(33)).isEqualTo(Map.of(1, List.of(1L, 2L, 3L, 4L)));
  }

  @Test
  void thePiecesOfOneFlushStay() {
    for (int slice = 0; slice < 4; slice++) {
      add(slice * 250, slice * 250 + 249, 0, 160);
    }
    assertThat(moves(640, 4)).isEmpty();
    for (int slice = 0; slice < 4; slice++) {
      add(slice * 250, slice * 250 + 249, 0, 160);
    }
    assertThat(moves(640, 4)).isEmpty();
  }

  @Test
  void flushesThatOverlapOthersStayWhileLoneOnesLeave() {
    for (int slice = 0; slice < 4; slice++) {
      add(slice * 10, slice * 10 + 9, 0, 33);
    }
    add(500, 700, 0, 33);
    add(600, 800, 0, 33);
    assertThat(moves(33).values()).containsExactly(List.of(1L, 2L, 3L, 4L));
  }

  @Test
  void aThinSliceGoesAsDeepAsTheRunItIsPartOf() {
    add(0, 999, 3, 160 * 256);
    for (int slice = 0; slice < 4; slice++) {
      add(slice * 10, slice * 10 + 9, 0, 160);
    }
    assertThat(moves(160)).isEqualTo(Map.of(3, List.of(2L, 3L, 4L, 5L)));
  }

  @Test
  void aHugeSstableOfAnotherStrategyCountsForItsSizeAtOnce() {
    add(0, 999, 0, 50_000);
    add(0, 999, 0, 33);
    assertThat(moves(33)).isEqualTo(Map.of(4, List.of(1L)));
  }

  @Test
  void largeFlushesAreNotHuge() {
    add(0, 999, 0, 5000);
    add(0, 999, 0, 4000);
    assertThat(moves(4500)).isEmpty();
  }

  @Test
  void nothingGoesDeeperThanLevelEight() {
    add(0, 999, 0, 1L << 40);
    assertThat(moves(1)).isEqualTo(Map.of(8, List.of(1L)));
  }

  @Test
  void claimedSstablesAndDeeperLevelsAreLeftAlone() {
    outlines.add(new SSTableOutline<>(1L, 0, 999, 0, 50_000 * MB, 1, 0, true, 0));
    outlines.add(new SSTableOutline<>(2L, 0, 999, 1, 50_000 * MB, 1, 0, false, 0));
    assertThat(moves(33)).isEmpty();
  }

  private void add(int first, int last, int level, long megabytes) {
    long id = outlines.size() + 1L;
    outlines.add(new SSTableOutline<>(id, first, last, level, megabytes * MB, 1, 0, false, 0));
  }

  private TreeMap<Integer, List<Long>> moves(long flushMegabytes) {
    return moves(flushMegabytes, 1);
  }

  private TreeMap<Integer, List<Long>> moves(long flushMegabytes, int shards) {
    return new Placement(160 * MB, 4, shards)
        .moves(outlines, (first, last) -> (last - first + 1) / RING, flushMegabytes * MB);
  }
}
