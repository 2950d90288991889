// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Limits;
import io.coppice.entry.RangeDeletions;
import io.coppice.entry.SnapshotStripes;
import io.coppice.testing.Seeds;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RangeDeletionListTest {

  @Test
  void agreesWithAllDeletionsOneByOne() {
    Seeds.forEach(
        20,
        random -> {
          RangeDeletionList list = new RangeDeletionList();
          List<RangeDeletions> all = new ArrayList<>();
          int count = random.nextInt(600);
          for (int sequence = 0; sequence < count; sequence++) {
            int from = random.nextInt(200);
            int to = from + 1 + random.nextInt(random.nextInt(4) == 0 ? 100 : 4);
            list.add(key(from), key(to), sequence);
            all.add(RangeDeletions.of(key(from), key(to), sequence));
            assertThat(list.isEmpty()).isFalse();
            byte[] key = key(random.nextInt(300));
            long newest = random.nextInt(sequence + 2);
            long expected = -1;
            for (RangeDeletions each : all) {
              expected = Math.max(expected, each.newestCovering(key, 0, key.length, newest));
            }
            assertThat(list.newestCovering(key, 0, key.length, newest)).isEqualTo(expected);
            if (random.nextInt(100) == 0) {
              assertShows(list, all, random);
            }
          }
          assertShows(list, all, random);
        });
  }

  /** Compares with the deletions as fragments that name all of them. */
  private static void assertShows(RangeDeletionList list, List<RangeDeletions> all, Random random) {
    RangeDeletions union = RangeDeletions.union(all);
    long[] snapshots = random.longs(random.nextInt(4), 0, all.size() + 1).toArray();
    assertThat(list.needed(snapshots)).isEqualTo(union.needed(new SnapshotStripes(snapshots)));
    int sequence = random.nextInt(all.size() + 1);
    assertThat(list.seenAt(sequence))
        .isEqualTo(
            RangeDeletions.union(all.subList(0, Math.min(sequence + 1, all.size())))
                .needed(new SnapshotStripes(new long[0])));
  }

  /** Orders of n ranges among 2n keys; where all overlap, fragments that name all would be n². */
  private enum Shape {
    GROWING,
    SHRINKING,
    STAIRS,
    RANDOM;

    void add(RangeDeletionList list, int i, int count, Random random) {
      int from = 0;
      int to;
      switch (this) {
        case GROWING -> to = i + 1;
        case SHRINKING -> to = count - i;
        case STAIRS -> {
          from = i;
          to = i + count;
        }
        default -> {
          from = random.nextInt(count);
          to = from + 1 + random.nextInt(count);
        }
      }
      list.add(key(from), key(to), i);
    }
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void memoryGrowsWithTheNumberOfDeletions(Shape shape) {
    Random random = Seeds.random(Seeds.seed(7), 0);
    int count = 20_000;
    RangeDeletionList list = new RangeDeletionList();
    long before = allocated();
    for (int i = 0; i < count; i++) {
      shape.add(list, i, count, random);
    }
    RangeDeletions seen = list.seenAt(count);
    assertThat((allocated() - before) / count).as("bytes for each").isLessThan(8_000);
    assertThat(list.pieces()).as("pieces").isLessThanOrEqualTo(3 * count);
    assertThat(seen.count()).as("sequence numbers").isLessThanOrEqualTo(2L * count);
    RangeDeletions needed = list.needed(new long[] {count / 3, count / 2});
    assertThat(needed.count()).as("sequence numbers").isLessThanOrEqualTo(3L * 2 * count);
  }

  /** A fragment takes some sixty bytes; each is made anew as often as the list doubles. */
  @Test
  void whatOneBatchAddsIsNotBuiltAnewAgainAndAgain() {
    int count = 10 * Limits.MAX_MEMTABLE_RANGES;
    RangeDeletionList list = new RangeDeletionList();
    long before = allocated();
    for (int i = 0; i < count; i++) {
      list.add(key(2 * i), key(2 * i + 1), i);
    }
    assertThat((allocated() - before) / count).as("bytes for each").isLessThan(4_000);
    assertThat(list.seenAt(count).size()).isEqualTo(count);
  }

  private static long allocated() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }
}
