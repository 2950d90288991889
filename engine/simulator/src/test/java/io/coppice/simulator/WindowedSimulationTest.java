// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.data.Percentage.withPercentage;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.LevelGrowth;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store put together of windows against the same store simulated table by table. */
final class WindowedSimulationTest {

  private static final long SEED = Long.getLong("seed", 1);
  private static final int ENTRY_BYTES = 128;
  private static final long TABLE_BYTES = 1 << 20;

  @ParameterizedTest
  @CsvSource({
    "'leveled,fanout=4', insert, 4, 1200",
    "'leveled,fanout=4', zipf:0.99, 4, 1200",
    "'leveled,fanout=10', uniform-update, 2, 1600"
  })
  void levelsWithTargetsAgreeWithAllTables(
      String policy, String workload, int memtableTables, int dataTables) {
    Scenario scenario = scenario(policy, workload, memtableTables * TABLE_BYTES, dataTables);
    // A quarter of the tables: some levels are seen with larger ones.
    List<LevelWindow> windows =
        new Windows(scenario, LevelGrowth.of(scenario.policy()), dataTables / 4.0, 0).windows();
    assertThat(windows.size()).isGreaterThan(1);
    assertAlike(large(scenario, windows), tableByTable(scenario), 3);
  }

  @ParameterizedTest
  @CsvSource({
    "'split-forest,fanout=2', insert",
    "'split-forest,fanout=4', insert",
    "'split-forest,fanout=4', uniform-update",
    "'split-forest,fanout=4', zipf:0.99",
    "'split-forest,fanout=4', sequential",
    "'grouped,groups=4', uniform-update",
    "'grouped,groups=4,last_level_leveled=true', insert"
  })
  void wholeRunsAgreeWithAllTables(String policy, String workload) {
    Scenario scenario = scenario(policy, workload, TABLE_BYTES, 1200);
    Windows windows = new Windows(scenario, LevelGrowth.of(scenario.policy()), 0, 128);
    assertThat(windows.windows().size()).isGreaterThan(1);
    assertAlike(large(scenario, windows.windows()), tableByTable(scenario), 0.5);
  }

  @ParameterizedTest
  @CsvSource({"split-forest", "leveled", "delayed", "grouped", "tiered"})
  @EnabledIfSystemProperty(named = "coppice.long", matches = "true")
  void petabyteIsSimulated(String policy) {
    PolicySpec spec = PolicySpec.parse(policy);
    long data = 1_000_000_000_000_000L;
    SimulationReport report =
        Simulator.run(scenario(spec, "insert", 64_000_000, data, data), share -> {});
    assertThat(report.wa()).isGreaterThan(1);
    assertThat(report.flushes()).isEqualTo(data / 64_000_000);
    assertThat(report.saSteady()).isGreaterThan(0.999);
    assertThat(report.samples()).isNotEmpty();
  }

  @Test
  void forestOfPetabyteWritesEachStageOnce() {
    PolicySpec spec = PolicySpec.parse("split-forest,fanout=4");
    long data = 1_000_000_000_000_000L;
    SimulationReport report =
        Simulator.run(scenario(spec, "insert", 64_000_000, data, data), share -> {});
    long flushes = data / 64_000_000;
    double written = flushes;
    for (long run = 4; run <= flushes; run *= 4) {
      written += flushes / run * run;
    }
    assertThat(report.wa()).isCloseTo(written / flushes, withPercentage(0.1));
  }

  private static void assertAlike(SimulationReport large, SimulationReport all, double percent) {
    String what = all + "\n" + large + "\nseed " + SEED;
    assertThat(large.wa()).as("WA %s", what).isCloseTo(all.wa(), withPercentage(percent));
    assertThat(large.raMean()).as("RA %s", what).isCloseTo(all.raMean(), within(0.5));
    assertThat(large.saSteady()).as("SA %s", what).isCloseTo(all.saSteady(), withPercentage(3));
    assertThat(large.flushes()).isEqualTo(all.flushes());
  }

  @ParameterizedTest
  @CsvSource({
    "'leveled,fanout=4', insert, 4, 5000",
    "'leveled,fanout=4', uniform-update, 16, 5000",
    "'leveled,fanout=10', zipf:0.6, 4, 10000",
    "'leveled,fanout=10', zipf:0.99, 4, 10000",
    "'delayed,fanout=4,vct=6', insert, 4, 3000",
    "'delayed,fanout=10', uniform-update, 4, 5000"
  })
  @EnabledIfSystemProperty(named = "coppice.long", matches = "true")
  void largerLevelsWithTargetsAgreeWithAllTables(
      String policy, String workload, int memtableTables, int dataTables) {
    levelsWithTargetsAgreeWithAllTables(policy, workload, memtableTables, dataTables);
  }

  private static SimulationReport large(Scenario scenario, List<LevelWindow> windows) {
    return WindowedSimulation.run(
        scenario, windows, share -> {}, part -> (shape, budget, plan) -> {});
  }

  private static SimulationReport tableByTable(Scenario scenario) {
    return Simulator.run(
        scenario, new ClassModel(scenario), share -> {}, (shape, budget, plan) -> {});
  }

  private static Scenario scenario(
      String policy, String workload, long memtableBytes, long dataTables) {
    long data = dataTables * TABLE_BYTES;
    boolean again = !workload.equals("insert") && !workload.equals("sequential");
    PolicySpec spec = PolicySpec.parse(policy + ",table_size=" + TABLE_BYTES);
    return scenario(spec, workload, memtableBytes, again ? data / 2 : data, data);
  }

  private static Scenario scenario(
      PolicySpec policy, String workload, long memtableBytes, long data, long writes) {
    return new Scenario(
        policy,
        MergeRule.ADJACENT,
        WriteWorkload.parse(workload),
        data,
        writes,
        memtableBytes,
        ENTRY_BYTES,
        10,
        0,
        Long.MAX_VALUE,
        SEED,
        Fidelity.CLASSES);
  }
}
