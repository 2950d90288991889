// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.data.Percentage.withPercentage;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The class model against the key-exact one, on every policy of the catalogue as it comes. {@code
 * -Plong} adds larger stores; {@code -Dseed=…} draws anew.
 */
final class ClassModelTest {

  private static final long SEED = Long.getLong("seed", 1);
  private static final boolean LONG = Boolean.getBoolean("coppice.long");

  private static final int ENTRY_BYTES = 128;
  private static final int MEMTABLE_ENTRIES = 512;
  private static final int TABLE_ENTRIES = 256;

  /** A store that has seen each key about so often, if keys come again. */
  private static final int WRITES_PER_KEY = 4;

  private static final String DELETIONS = "uniform-update,deletes:0.3";

  private static final List<String> WORKLOADS =
      List.of(
          "insert", "sequential", "uniform-update", "zipf:0.6", "zipf:0.99", "zipf:1.2", DELETIONS);

  /** Policies whose space does not depend on the moment of a few large merges for deletions. */
  private static final List<String> WITH_DELETIONS =
      List.of("leveled", "split-forest", "lazy-binomial");

  static List<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (String name : PolicySpec.policyNames()) {
      // Flushes of so few entries differ by a few percent, and 1 percent would decide by chance.
      String policy = name.equals("tiered") ? name + ",size_ratio=10" : name;
      for (String workload : WORKLOADS) {
        if (workload.equals(DELETIONS) && !WITH_DELETIONS.contains(name)) {
          continue;
        }
        cases.add(Arguments.of(policy, workload, 500));
        if (LONG) {
          cases.add(Arguments.of(policy, workload, 2000));
          cases.add(Arguments.of(policy, workload, 8000));
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithKeys(String policy, String workload, int flushes) {
    SimulationReport exact = run(policy, workload, flushes, Fidelity.EXACT);
    SimulationReport classes = run(policy, workload, flushes, Fidelity.CLASSES);
    String what = exact + "\n" + classes + "\nseed " + SEED;
    assertThat(classes.wa()).as("WA %s", what).isCloseTo(exact.wa(), withPercentage(3));
    assertThat(classes.saSteady()).as("SA %s", what).isCloseTo(exact.saSteady(), withPercentage(3));
    // One instant's, so chance weighs more.
    assertThat(classes.saPeak()).as("SA %s", what).isCloseTo(exact.saPeak(), withPercentage(5));
    assertThat(classes.raMean()).as("RA %s", what).isCloseTo(exact.raMean(), within(0.5));
  }

  @Test
  void sameSeedSameReport() {
    SimulationReport once = run("leveled", "zipf:0.99", 200, Fidelity.CLASSES);
    assertThat(run("leveled", "zipf:0.99", 200, Fidelity.CLASSES)).isEqualTo(once);
  }

  private static SimulationReport run(
      String policy, String workload, int flushes, Fidelity fidelity) {
    WriteWorkload load = WriteWorkload.parse(workload);
    long writeBytes = (long) flushes * MEMTABLE_ENTRIES * ENTRY_BYTES;
    Scenario scenario =
        new Scenario(
            PolicySpec.parse(policy + ",table_size=" + TABLE_ENTRIES * ENTRY_BYTES),
            MergeRule.ADJACENT,
            load,
            load.once() ? writeBytes : writeBytes / WRITES_PER_KEY,
            writeBytes,
            (long) MEMTABLE_ENTRIES * ENTRY_BYTES,
            ENTRY_BYTES,
            10,
            0,
            Long.MAX_VALUE,
            SEED,
            fidelity);
    return Simulator.run(scenario, share -> {});
  }
}
