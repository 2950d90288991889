// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.simulator.keys.SortedKeySet;
import io.coppice.simulator.keys.SortedKeySetTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyModelTest {

  private static final int RANGE = 100_000;

  @ParameterizedTest
  @ValueSource(strings = {"insert", "sequential"})
  void everyKeyComesOnceAndTheLoadEnds(String workload) {
    KeyModel model = new KeyModel(Loads.once("leveled", workload, 20, 100, 40).scenario());
    TreeSet<Integer> keys = new TreeSet<>();
    int flushes = 0;
    for (List<SortedKeySet> tables = model.flush(); !tables.isEmpty(); tables = model.flush()) {
      assertThat(tables).extracting(SortedKeySet::count).containsExactly(40, 40, 20);
      keys.addAll(SortedKeySetTest.all(tables));
      flushes++;
    }
    assertThat(flushes).isEqualTo(20);
    assertThat(keys).hasSize(2000).first().isEqualTo(0);
    assertThat(keys.last()).isEqualTo(1999);
    assertThat(model.liveEntries()).isEqualTo(2000);
    assertThat(model.userEntries()).isEqualTo(2000);
  }

  @Test
  void cutsDivideTheUnionInPartsOfLikeSize() {
    KeyModel model = new KeyModel(Loads.once("leveled", "insert", 20, 100, 40).scenario());
    for (long seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      List<SortedKeySet> contents = new ArrayList<>();
      int total = 0;
      for (int i = random.nextInt(12); i >= 0; i--) {
        int from = random.nextInt(RANGE / 2);
        int[] drawn = random.ints(1 + random.nextInt(3000), from, from + RANGE / 2).toArray();
        contents.addAll(SortedKeySetTest.tables(drawn, RANGE));
        total += contents.get(contents.size() - 1).count();
      }
      int parts = 1 + random.nextInt(12);
      int[] cuts = model.cuts(contents, parts);
      int highest = contents.stream().mapToInt(SortedKeySet::high).max().orElseThrow();
      assertThat(cuts).as("seed " + seed).isSorted().doesNotHaveDuplicates();
      assertThat(cuts.length).isLessThan(parts);
      assertThat(Arrays.stream(cuts)).allMatch(cut -> cut < highest);
      if (total > 1000) {
        assertThat(cuts).as("seed " + seed).hasSize(parts - 1);
        for (int i = 0; i <= cuts.length; i++) {
          int low = i == 0 ? 0 : cuts[i - 1] + 1;
          int high = i == cuts.length ? highest : cuts[i];
          long inside =
              contents.stream()
                  .map(keys -> keys.window(low, high))
                  .mapToLong(keys -> keys == null ? 0 : keys.count())
                  .sum();
          assertThat((double) inside * parts / total).as("seed " + seed).isBetween(0.8, 1.2);
        }
      }
    }
  }
}
