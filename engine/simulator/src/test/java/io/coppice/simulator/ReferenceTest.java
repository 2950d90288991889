// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Write amplification beside an independent prototype of the same strategies, which picked tables
 * of leveled round-robin and freed no pinned space. Only sizes relative to the memtable matter, so
 * the prototype's 4 million keys in 976 flushes are 64 thousand here.
 */
class ReferenceTest {

  private static final int MEMTABLE = 64;
  private static final int TABLE = 32;

  @ParameterizedTest(name = "{0}: {1}, prototype {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "leveled,fanout=10 | 13.09 | 13.03",
        "leveled,fanout=4  | 12.23 | 11.50",
        "delayed,vct=4     | 12.04 | 12.04",
        "delayed,vct=12    |  6.40 |  6.72",
      })
  void uniqueKeys(String policy, double expected, double prototype) {
    Scenario scenario = Loads.once(policy, "insert", 976, MEMTABLE, TABLE).scenario();
    SimulationReport report =
        new Simulation<>(scenario, new KeyModel(scenario), (shape, budget, plan) -> {}, false)
            .run(share -> {});
    assertThat(report.wa()).isEqualTo(expected, within(0.02 * expected));
    assertThat(report.wa()).isEqualTo(prototype, within(0.1 * prototype));
  }
}
