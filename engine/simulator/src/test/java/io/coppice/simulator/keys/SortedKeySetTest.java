// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

public class SortedKeySetTest {

  private static final int RANGE = 300;

  @Test
  void aMergeHoldsEachKeyOnceAndIsCutAtTheTableSize() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      List<SortedKeySet> inputs = new ArrayList<>();
      TreeSet<Integer> all = new TreeSet<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        int[] keys = random.ints(1 + random.nextInt(60), 0, RANGE).toArray();
        for (int key : keys) {
          all.add(key);
        }
        inputs.addAll(tables(keys, 1 + random.nextInt(20)));
      }
      int table = 1 + random.nextInt(20);
      List<SortedKeySet> outputs = SortedKeySet.merge(inputs, OlderRanks.ALL, size(table));
      assertThat(all(outputs)).as("seed " + seed).containsExactlyElementsOf(all);
      assertThat(outputs.subList(0, outputs.size() - 1))
          .allSatisfy(output -> assertThat(output.count()).isEqualTo(table));
    }
  }

  @Test
  void aWindowHoldsTheKeysBetweenItsBounds() {
    Random random = new Random(1);
    for (int i = 0; i < 300; i++) {
      int[] drawn = random.ints(1 + random.nextInt(50), 0, RANGE).toArray();
      SortedKeySet keys = tables(drawn, RANGE).get(0);
      int low = random.nextInt(RANGE);
      int high = random.nextInt(RANGE);
      TreeSet<Integer> between = new TreeSet<>(all(List.of(keys)));
      between.removeIf(key -> key < low || key > high);
      SortedKeySet window = keys.window(low, high);
      assertThat(window == null ? List.of() : all(List.of(window)))
          .containsExactlyElementsOf(between);
      for (int key = 0; window != null && key < RANGE; key++) {
        assertThat(window.contains(key)).isEqualTo(between.contains(key));
      }
    }
  }

  private static SortedKeySet.TableSize size(int entries) {
    return new SortedKeySet.TableSize(entries, 1);
  }

  public static List<SortedKeySet> tables(int[] keys, int entries) {
    return SortedKeySet.tables(keys, keys.length, key -> false, size(entries));
  }

  public static List<Integer> all(List<SortedKeySet> tables) {
    List<Integer> all = new ArrayList<>();
    for (SortedKeySet table : tables) {
      for (int i = 0; i < table.count(); i++) {
        all.add(table.get(i));
      }
      assertThat(table.low()).isEqualTo(table.get(0));
      assertThat(table.high()).isEqualTo(table.get(table.count() - 1));
    }
    return all;
  }
}
