// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Limits;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeDeletionsTest {

  private record Range(byte[] from, byte[] to, long sequence) {}

  @Test
  void answersLikeAListOfRangesAlsoForAWindow() {
    Seeds.forEach(
        100,
        random -> {
          List<Range> ranges = new ArrayList<>();
          List<RangeDeletions> parts = new ArrayList<>();
          int count = 1 + random.nextInt(12);
          while (ranges.size() < count) {
            byte[] from = CursorModel.randomKey(random);
            byte[] to = CursorModel.randomKey(random);
            if (Arrays.compareUnsigned(from, to) < 0) {
              long sequence = random.nextInt(20);
              ranges.add(new Range(from, to, sequence));
              parts.add(RangeDeletions.of(from, to, sequence));
            }
          }
          RangeDeletions all = RangeDeletions.union(parts);
          byte[] low = random.nextBoolean() ? null : CursorModel.randomKey(random);
          byte[] high = random.nextBoolean() ? null : CursorModel.randomKey(random);
          if (low != null && high != null && Arrays.compareUnsigned(low, high) >= 0) {
            high = null;
          }
          RangeDeletions part = all.clip(low, high);
          RangeDeletions rest =
              RangeDeletions.union(
                  List.of(
                      part,
                      low == null ? RangeDeletions.NONE : all.clip(null, low),
                      high == null ? RangeDeletions.NONE : all.clip(high, null)));
          assertThat(rest).as("the parts make the whole again").isEqualTo(all);
          for (int i = 0; i < 100; i++) {
            byte[] key = CursorModel.randomKey(random);
            long at = random.nextInt(21);
            long expected = newest(ranges, key, at);
            assertThat(all.newestCovering(key, 0, key.length, at)).isEqualTo(expected);
            boolean inside =
                (low == null || Arrays.compareUnsigned(key, low) > 0)
                    && (high == null || Arrays.compareUnsigned(key, high) <= 0);
            assertThat(part.newestCovering(key, 0, key.length, at))
                .isEqualTo(inside ? expected : -1);
          }
        });
  }

  private static long newest(List<Range> ranges, byte[] key, long at) {
    long newest = -1;
    for (Range range : ranges) {
      if (range.sequence <= at
          && Arrays.compareUnsigned(range.from, key) <= 0
          && Arrays.compareUnsigned(key, range.to) < 0) {
        newest = Math.max(newest, range.sequence);
      }
    }
    return newest;
  }

  @Test
  void nothingLiesBetweenAKeyAndItsSuccessor() {
    assertThat(RangeDeletions.successor(new byte[] {5})).containsExactly(5, 0);
    byte[] longest = new byte[Limits.MAX_KEY_BYTES];
    Arrays.fill(longest, (byte) -1);
    assertThat(RangeDeletions.successor(longest)).isNull();
    longest[1] = 7;
    assertThat(RangeDeletions.successor(longest)).containsExactly(-1, 8);
  }

  @Test
  void theLargestKeyIsTheLastBelowTheEndIfThereIsSuchAKey() {
    byte[] from = {1};
    assertThat(RangeDeletions.of(from, new byte[] {2, 0}, 1).largestKey()).containsExactly(2);
    assertThat(RangeDeletions.of(from, new byte[] {2}, 1).largestKey()).containsExactly(2);
  }

  @Test
  void ofEachStripeTheNewestIsNeeded() {
    byte[] from = {1};
    byte[] to = {2};
    RangeDeletions all =
        RangeDeletions.union(
            List.of(
                RangeDeletions.of(from, to, 9),
                RangeDeletions.of(from, to, 8),
                RangeDeletions.of(from, to, 5),
                RangeDeletions.of(from, to, 4)));
    assertThat(all.needed(new SnapshotStripes(new long[] {7})).fragment(0).sequences())
        .containsExactly(9, 5);
    assertThat(all.needed(new SnapshotStripes(new long[0])).fragment(0).sequences())
        .containsExactly(9);
  }
}
