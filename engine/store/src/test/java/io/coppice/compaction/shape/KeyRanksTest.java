// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.Ints;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class KeyRanksTest {

  private static final long SEED = Long.getLong("seed", 20261122L);

  @Test
  void ranksAreOrderedAsTheirKeysAndStay() {
    Random random = new Random(SEED);
    KeyRanks ranks = new KeyRanks(new byte[][] {Ints.toByteArray(500)});
    int first = ranks.of(Ints.toByteArray(500));
    TreeSet<Integer> keys = new TreeSet<>();
    for (int i = 0; i < 1000; i++) {
      int key = random.nextInt(1000);
      if (ranks.add(Ints.toByteArray(key))) {
        keys.add(key);
      }
    }
    int before = -1;
    for (int key : keys) {
      int rank = ranks.of(Ints.toByteArray(key));
      assertThat(rank).as("seed %d, key %d", SEED, key).isGreaterThan(before).isEven();
      before = rank;
    }
    assertThat(ranks.of(Ints.toByteArray(500))).isEqualTo(first);
    assertThat(keys).hasSizeGreaterThan(100);
  }

  @Test
  void keysThatAscendFindRoomForAWhileButNotForEver() {
    KeyRanks ranks = new KeyRanks(new byte[0][]);
    int added = 0;
    while (ranks.add(Ints.toByteArray(added))) {
      added++;
    }
    assertThat(added).isBetween(20, 1024);
  }

  @Test
  void keysBetweenTwoOthersStayBetweenThem() {
    KeyRanks ranks = everyThousandth();
    int above = ranks.of(Ints.toByteArray(6000));
    int before = ranks.of(Ints.toByteArray(5000));
    int added = 0;
    while (ranks.add(Ints.toByteArray(5001 + added))) {
      int rank = ranks.of(Ints.toByteArray(5001 + added));
      assertThat(rank).isBetween(before + 2, above - 2);
      before = rank;
      added++;
    }
    assertThat(added).isBetween(20, 100);
  }

  @Test
  void keysThatAreLongGoneTakeNoRoomForEver() {
    KeyRanks ranks = everyThousandth();
    int added = 0;
    while (ranks.add(Ints.toByteArray(1000 * (added % 10_000) + 1 + added / 10_000))) {
      added++;
    }
    assertThat(added).isBetween(10_000, 12_000);
  }

  private static KeyRanks everyThousandth() {
    byte[][] keys = new byte[10_000][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = Ints.toByteArray(1000 * i);
    }
    return new KeyRanks(keys);
  }
}
