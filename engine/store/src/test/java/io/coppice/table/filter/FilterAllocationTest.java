// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How runs share the memory of filters. {@code -Dseed=…} repeats a failure. */
class FilterAllocationTest {

  private static final long SEED = Long.getLong("seed", 20261121L);

  @Test
  void overTwentyFourRunsOfAForestThreeAndAHalfTimesFewerAbsentKeysPass() {
    long[] forest = runs(8, 3, 4);
    assertThat(passing(forest, bits(forest, 8), 8)).isBetween(0.024, 0.027);
    assertThat(24 * FilterAllocation.rate(8)).isBetween(0.093, 0.094);
  }

  @Test
  void overSevenLevelsFourAndAHalfTimesFewerAbsentKeysPass() {
    long[] levels = runs(7, 1, 10);
    assertThat(7 * FilterAllocation.rate(8) / passing(levels, bits(levels, 8), 8))
        .isBetween(4.4, 4.7);
  }

  @Test
  void aLargestRunThatGetsNoFilterLeavesItsMemoryToTheOthers() {
    assertThat(FilterAllocation.MONKEY.bits(new long[] {1, 1_000_000_000}, 5))
        .satisfies(bits -> assertThat(bits[0]).isEqualTo(FilterGeometry.MAX_BITS))
        .satisfies(bits -> assertThat(bits[1]).isBetween(4.9, 5.0));
  }

  @Test
  void uniformGivesEachRunTheSame() {
    assertThat(FilterAllocation.UNIFORM.bits(new long[] {5, 500, 50_000}, 9))
        .containsExactly(9, 9, 9);
    assertThat(FilterAllocation.MONKEY.bits(new long[] {5, 500, 50_000}, 0))
        .containsExactly(0, 0, 0);
  }

  @Test
  void whateverTheRunsItIsNoWorseThanUniformTakesNoMoreAndFavoursTheSmall() {
    Random random = new Random(SEED);
    for (int round = 0; round < 400; round++) {
      int average = FilterGeometry.MIN_BITS + random.nextInt(12);
      long[] runs = new long[1 + random.nextInt(30)];
      for (int i = 0; i < runs.length; i++) {
        runs[i] = 1 + (long) Math.pow(10, random.nextDouble() * 10);
      }
      double[] bits = bits(runs, average);
      String as = "seed " + SEED + " round " + round;
      double uniform = runs.length * FilterAllocation.rate(average);
      assertThat(passing(runs, bits, average)).as(as).isLessThanOrEqualTo(uniform * 1.000001);
      for (int i = 0; i < runs.length; i++) {
        for (int j = 0; j < runs.length; j++) {
          if (runs[i] < runs[j]) {
            assertThat(FilterAllocation.lower(bits[i]))
                .as(as)
                .isGreaterThanOrEqualTo(FilterAllocation.lower(bits[j]));
          }
        }
      }
    }
  }

  @Test
  void aNameThatIsUnknownIsReported() {
    List<String> errors = new ArrayList<>();
    assertThat(FilterAllocation.parse("monkey", errors)).isEqualTo(FilterAllocation.MONKEY);
    assertThat(FilterAllocation.parse("uniform", errors)).isEqualTo(FilterAllocation.UNIFORM);
    assertThat(errors).isEmpty();
    FilterAllocation.parse("even", errors);
    assertThat(errors).containsExactly("filterAllocation (even) must be uniform or monkey");
  }

  private static long[] runs(int stages, int each, int growth) {
    long[] runs = new long[stages * each];
    long entries = 40_000;
    for (int i = 0; i < runs.length; i++) {
      runs[i] = entries;
      entries *= i % each == each - 1 ? growth : 1;
    }
    return runs;
  }

  private static double[] bits(long[] runs, int average) {
    return FilterAllocation.MONKEY.bits(runs, average);
  }

  /** Of an absent key, how many filters let it pass; checks the memory on the way. */
  private static double passing(long[] runs, double[] bits, int average) {
    double passing = 0;
    double memory = 0;
    double keys = 0;
    for (int i = 0; i < runs.length; i++) {
      int low = FilterAllocation.lower(bits[i]);
      double share = FilterAllocation.share(bits[i]);
      passing += (1 - share) * FilterAllocation.rate(low);
      passing += share * FilterAllocation.rate(FilterAllocation.next(low));
      memory += bits[i] * runs[i];
      keys += runs[i];
    }
    assertThat(memory / keys).isLessThanOrEqualTo(average * 1.000001);
    return passing;
  }
}
