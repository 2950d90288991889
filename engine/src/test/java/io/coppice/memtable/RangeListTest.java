// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Limits;
import io.coppice.base.Seeds;
import io.coppice.entry.RangeDeletions;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeListTest {

  @Test
  void agreesWithAllDeletionsOneByOne() {
    Seeds.forEach(
        20,
        random -> {
          RangeList list = new RangeList();
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
              assertThat(list.fragments()).isEqualTo(RangeDeletions.union(all));
            }
          }
          assertThat(list.fragments()).isEqualTo(RangeDeletions.union(all));
        });
  }

  /** A fragment takes some sixty bytes; each is made anew as often as the list doubles. */
  @Test
  void whatOneBatchAddsIsNotBuiltAnewAgainAndAgain() {
    int count = 10 * Limits.MAX_MEMTABLE_RANGES;
    RangeList list = new RangeList();
    long before = allocated();
    for (int i = 0; i < count; i++) {
      list.add(key(2 * i), key(2 * i + 1), i);
    }
    assertThat((allocated() - before) / count).as("bytes for each").isLessThan(4_000);
    assertThat(list.fragments().size()).isEqualTo(count);
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
