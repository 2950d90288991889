// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZipfTest {

  private static final int RANKS = 5000;
  private static final int DRAWS = 500_000;

  /** Ranks from here on are counted together by twos, fours and so on. */
  private static final int ALONE = 64;

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.6, 0.99, 1, 1.2, 2})
  void ranksComeAsOftenAsTheLawSays(double exponent) {
    long seed = Long.getLong("seed", 5);
    Zipf zipf = new Zipf(RANKS, exponent);
    SimulationRandom draws = new SimulationRandom(seed);
    int cells = cell(RANKS - 1) + 1;
    long[] counts = new long[cells];
    for (int i = 0; i < DRAWS; i++) {
      counts[cell(zipf.draw(draws))]++;
    }
    double[] expected = new double[cells];
    double total = 0;
    for (int rank = 0; rank < RANKS; rank++) {
      double weight = Math.pow(rank + 1, -exponent);
      expected[cell(rank)] += weight;
      total += weight;
    }
    double scale = DRAWS / total;
    assertThat(chiSquare(counts, cell -> expected[cell] * scale))
        .as("chi-square, seed " + seed)
        .isLessThan(rarelyExceeded(cells - 1));
  }

  private static int cell(int rank) {
    int doublings = 31 - Integer.numberOfLeadingZeros(Math.max(ALONE, rank)) - 6;
    return rank < ALONE ? rank : ALONE + ALONE * doublings + ((rank >> doublings) - ALONE);
  }

  static double chiSquare(long[] counts, IntToDoubleFunction expected) {
    double sum = 0;
    for (int i = 0; i < counts.length; i++) {
      double mean = expected.applyAsDouble(i);
      sum += mean == 0 ? 0 : (counts[i] - mean) * (counts[i] - mean) / mean;
    }
    return sum;
  }

  /** Chi-square's quantile of about 0.9999 (Wilson and Hilferty's approximation). */
  static double rarelyExceeded(int degrees) {
    double z = 3.72;
    double ninth = 2.0 / (9 * degrees);
    return degrees * Math.pow(1 - ninth + z * Math.sqrt(ninth), 3);
  }
}
