// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlendTest {

  private static final int KEYS = 1000;
  private static final Popularity POPULARITY =
      Popularity.of(new WriteWorkload(WriteWorkload.Kind.UNIFORM_UPDATE, 0), KEYS);

  /** The entries of all tables that portions of these shares over all keys become. */
  private static double entries(double... shares) {
    List<Portion> portions =
        Arrays.stream(shares)
            .mapToObj(
                share ->
                    Portion.of(
                        List.of(
                            PortionCell.of(
                                0, PortionModel.RANKS, new double[] {share}, POPULARITY)),
                        0,
                        PortionModel.RANKS - 1))
            .toList();
    return new Blend(
            POPULARITY, new double[] {1}, KEYS, new SimulationRandom(1), portions, OlderRanks.ALL)
        .tables().stream().mapToDouble(Portion::entries).sum();
  }

  @ParameterizedTest
  @CsvSource({"0.5, 0.5, 0.75", "0.25, 1, 1", "1, 1, 1", "0.9, 0.9, 0.99"})
  void aKeyIsThereUnlessAllLackIt(double one, double other, double both) {
    assertThat(entries(one, other)).isCloseTo(KEYS * both, within(1e-6));
  }

  @Test
  void cellsThatChanceHasCrowdedHoldNoLessTogetherThanAllKeys() {
    assertThat(entries(5, 5)).isCloseTo(KEYS, within(1e-6));
    assertThat(entries(5, 0.5)).isGreaterThanOrEqualTo(KEYS);
    assertThat(entries(3, 3, 3)).isGreaterThanOrEqualTo(KEYS);
  }
}
